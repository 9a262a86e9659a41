package query

import (
	"context"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
)

// A pairOfPages has two kept pages, 1 and 2, whose texts are one and whose signatures do not meet in the gate's tables.
type pairOfPages struct{ share float64 }

func (pairOfPages) Decided(u weburl.URL) (uint64, dedup.Verdict, dedup.Signature, error) {
	if u.String() == "http://a.test/1" {
		return 1, dedup.Verdict{}, dedup.Signature{SimHash: 0b0111}, nil
	}
	return 2, dedup.Verdict{}, dedup.Signature{SimHash: 0}, nil
}

func (pairOfPages) Text(dedup.Ref) (dedup.Text, bool, error) { return dedup.Text{}, true, nil }

func (pairOfPages) Neighbours(sig dedup.Signature, _ *dedup.Text, _ gatecrawl.NearQuery) ([]dedup.Neighbour, error) {
	of := dedup.Ref(1)
	if sig.SimHash == 0 {
		of = 2
	}
	return []dedup.Neighbour{{Verdict: dedup.Verdict{Of: of, Similarity: 1}}}, nil
}

func (p pairOfPages) Why(context.Context, string) (gatecrawl.Why, error) {
	other := page.Part{URL: "http://a.test/2", Share: p.share, Rest: 1}
	return gatecrawl.Why{Page: &page.Record{PartOf: []page.Part{other}, Contains: []page.Part{other}}}, nil
}

func (pairOfPages) Members(found []dedup.Neighbour) (list []gatecrawl.Member, err error) {
	for _, f := range found {
		list = append(list, gatecrawl.Member{Seq: uint64(f.Of), Distance: f.Distance, Apart: f.Apart})
	}
	return list, nil
}

func TestAPageThatTheGateDidNotCompareIsNamedWithTheReason(t *testing.T) {
	for _, c := range []struct {
		share float64
		apart bool
		want  int
	}{{.6, true, 1}, {.6, false, 0}, {.4, true, 0}} {
		near, err := NearPage(t.Context(), pairOfPages{c.share}, "http://a.test/1", gatecrawl.NearQuery{Apart: c.apart})
		if err != nil || len(near) != c.want || c.want > 0 && (near[0].Seq != 2 || near[0].Apart != dedup.NotMet || near[0].Distance != 3) {
			t.Errorf("with %.1f in common and Apart %v NearPage = %+v, %v; want %d, at 3 bits and not met", c.share, c.apart, near, err, c.want)
		}
	}
}

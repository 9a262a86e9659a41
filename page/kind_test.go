package page_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
)

// records are of all kinds, the rare ones far from each other, with gaps in their places.
func records(n int, r *rand.Rand) (all []page.Record, values [][]byte) {
	seq := uint64(0)
	for i := range n {
		seq += 1 + uint64(r.IntN(1000)/997)*3000
		p := page.Record{Seq: seq, URL: fmt.Sprintf("https://h%d.test:8443/%d", i/700, i), Status: 200, Verdict: page.VerdictNew, Title: "t", Type: "text/html", Relevance: float32(i/4000) / 10}
		var v dedup.Verdict
		switch x := r.IntN(4000); {
		case x < 2:
			p.Status, p.Verdict, p.Failure, p.Reason = 404, page.VerdictFailed, "http 404 not found", "http 404 not found"
			p.Label, p.ETag = "label", `"etag"`
		case x < 4:
			p.Status, p.Verdict, p.Failure = 0, page.VerdictFailed, "dial"
		case x < 6:
			p.Status, p.Verdict, p.Rule, p.Reason = 0, page.VerdictRefused, "robots", "robots.txt line 3"
		case x < 1000:
			v = dedup.Verdict{Of: 1, Level: dedup.Level(3 + x%3), Class: dedup.FullLayout}
			if x < 8 {
				v.Class = dedup.PartialContent
			}
			p.Verdict, p.Level, p.Class = page.VerdictCopy, int(v.Level), v.Class.String()
		}
		all, values = append(all, p), append(values, page.EncodeRecord(&p, v))
	}
	return all, values
}

func TestARecordIsOfAKindAsItsEncodedFormIs(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	all, values := records(20_000, rand.New(rand.NewPCG(seed, 1)))
	o := page.NewOutline()
	for i, p := range all {
		if room, err := o.Add(p.Seq, values[i]); err != nil || !room {
			t.Fatalf("Add(%d) = %v, %v", p.Seq, room, err)
		}
	}
	found := 0
	for _, k := range []page.Kind{
		{}, {Verdict: page.VerdictNew}, {Verdict: page.VerdictFailed}, {Verdict: page.VerdictCopy, Level: 4}, {Class: "full-layout"}, {Verdict: page.VerdictCopy, Class: "partial-content"}, {Class: "no such class"}, {Rule: "robots"}, {Rule: "no such rule"},
		{Failure: "http 404 not found"}, {Failure: "dial"}, {Status: 404}, {Status: 1404}, {Level: 5}, {Verdict: "no such verdict"},
		{Host: "h3.test:8443"}, {Host: "h3.test"}, {Host: "h7.test:8443", Verdict: page.VerdictFailed}, {Relevance: .3}, {Relevance: .35, Verdict: page.VerdictNew}, {Relevance: 1},
	} {
		passed := 0
		next := o.Next(1, &k)
		for i, p := range all {
			if p.Seq > next {
				next = o.Next(p.Seq, &k)
			}
			got, err := k.IsEncoded(values[i])
			if want := k.Is(&p); err != nil || got != want {
				t.Fatalf("%v: IsEncoded of %+v = %v, %v, want %v", k, p, got, err, want)
			}
			if p.Seq < next {
				passed++
				if got {
					t.Fatalf("%v: place %d, which is of it, is passed over", k, p.Seq)
				}
			}
			if got {
				found++
			}
		}
		t.Logf("%q: %d of %d passed over", k.String(), passed, len(all))
		if k.Host == "h3.test:8443" && passed < 15_000 {
			t.Errorf("%v: %d of %d records are passed over, want most", k, passed, len(all))
		}
	}
	if found < len(all) {
		t.Errorf("%d records were found by all kinds together", found)
	}
}

func BenchmarkKinds(b *testing.B) {
	_, values := records(5_000, rand.New(rand.NewPCG(1, 1)))
	b.Run("encoded", func(b *testing.B) {
		k := page.Kind{Failure: "dial"}
		for i := range b.N {
			if _, err := k.IsEncoded(values[i%len(values)]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decoded", func(b *testing.B) {
		k := page.Kind{Failure: "dial"}
		for i := range b.N {
			p, _, err := page.DecodeRecord(values[i%len(values)])
			if k.Is(&p); err != nil {
				b.Fatal(err)
			}
		}
	})
}

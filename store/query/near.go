package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Near implements gatecrawl.Inspector.
func (q *Reader) Near(_ context.Context, sig dedup.Signature, text *dedup.Text, want gatecrawl.NearQuery) ([]gatecrawl.Member, error) {
	found, err := q.neighbours(sig, text, want)
	if err != nil {
		return nil, err
	}
	more, err := q.nearOnSite(sig, text, want)
	if err != nil {
		return nil, err
	}
	return q.Members(Nearest(found, more, want.Limit))
}

// neighbours asks the job's gate for neighbours.
func (q *Reader) neighbours(sig dedup.Signature, text *dedup.Text, want gatecrawl.NearQuery) ([]dedup.Neighbour, error) {
	gate, err := q.job.Gate()
	if err != nil {
		return nil, err
	}
	found, err := Ask(gate, sig, text, want)
	if err != nil {
		return nil, q.job.Advise(err)
	}
	return found, nil
}

// Ask asks a gate for neighbours.
func Ask(gate *dedup.Gate, sig dedup.Signature, text *dedup.Text, want gatecrawl.NearQuery) ([]dedup.Neighbour, error) {
	if want.Apart {
		return gate.Resembling(sig, text, want.Limit)
	}
	found, err := gate.Neighbours(sig, text, want.Limit)
	copies := make([]dedup.Neighbour, len(found))
	for i, v := range found {
		copies[i].Verdict = v
	}
	return copies, err
}

// Nearest merges the answers to two questions about one page: first the nearest pages, then those
// that are other documents, at most limit of each if that is above 0. If a page is in both answers,
// the answer that says copy counts, or else the more similar one.
func Nearest(found, more []dedup.Neighbour, limit int) []dedup.Neighbour {
	is := func(n dedup.Neighbour) int {
		if n.Apart == "" {
			return 1
		}
		return 0
	}
	for _, v := range more {
		if i := slices.IndexFunc(found, func(f dedup.Neighbour) bool { return f.Of == v.Of }); i < 0 {
			found = append(found, v)
		} else if cmp.Or(cmp.Compare(is(v), is(found[i])), cmp.Compare(v.Similarity, found[i].Similarity)) > 0 {
			found[i] = v
		}
	}
	if len(more) > 0 {
		slices.SortStableFunc(found, func(a, b dedup.Neighbour) int {
			return cmp.Or(cmp.Compare(is(b), is(a)), cmp.Compare(a.Level, b.Level), cmp.Compare(b.Similarity, a.Similarity))
		})
	}
	return atMost(limit, found)
}

// atMost cuts a list to limit pages that are near a page and limit that are other documents; 0: no
// limit.
func atMost(limit int, found []dedup.Neighbour) []dedup.Neighbour {
	if limit == 0 {
		return found
	}
	met := make(map[bool]int)
	return slices.DeleteFunc(found, func(n dedup.Neighbour) bool {
		apart := n.Apart != ""
		met[apart]++
		return met[apart] > limit
	})
}

// nearOnSite compares a page that was read without a template as a page of its host, with the
// host's template.
func (q *Reader) nearOnSite(sig dedup.Signature, text *dedup.Text, want gatecrawl.NearQuery) ([]dedup.Neighbour, error) {
	if text == nil || text.Host == "" {
		return nil, nil
	}
	as, on, err := q.OnSite(sig, text)
	if err != nil {
		return nil, q.job.Advise(err)
	}
	if on == nil {
		return nil, nil
	}
	return q.neighbours(as, on, want)
}

// OnSite reads the text of a page that was read without a template as a page of its host, with the
// host's template, and signs it; on is nil if the host has no template.
func (q *Reader) OnSite(sig dedup.Signature, text *dedup.Text) (as dedup.Signature, on *dedup.Text, err error) {
	site, err := q.job.Template("http://" + text.Host + "/") // a text does not name its folders
	if err != nil {
		return as, nil, err
	}
	if on = text.On(site); on == nil {
		return as, nil, nil
	}
	as = on.Sign()
	as.Bytes, as.Layout = sig.Bytes, sig.Layout
	if q.job.IDF != "" {
		as.SimHash = sig.SimHash // its words were weighted by a table that is not available
	}
	return as, on, nil
}

// NearPage implements gatecrawl.Inspector.
func (q *Reader) NearPage(ctx context.Context, url string, want gatecrawl.NearQuery) ([]gatecrawl.Member, error) {
	return NearPage(ctx, nearby{q}, url, want)
}

// A nearby implements Neighbourhood for a Reader.
type nearby struct{ *Reader }

// Text implements Neighbourhood.
func (n nearby) Text(of dedup.Ref) (dedup.Text, bool, error) { return n.job.Text(of) }

// Neighbours implements Neighbourhood.
func (n nearby) Neighbours(sig dedup.Signature, text *dedup.Text, want gatecrawl.NearQuery) ([]dedup.Neighbour, error) {
	return n.neighbours(sig, text, want)
}

// A Neighbourhood has the pages of a job, in one store or in several.
type Neighbourhood interface {
	// Decided returns the gate's verdict on a URL's page, and the signature if the page is kept.
	// The error is gatecrawl.ErrUnknown if the page is not a document.
	Decided(u weburl.URL) (seq uint64, verdict dedup.Verdict, sig dedup.Signature, err error)

	// Text returns the title and body of a kept page.
	Text(of dedup.Ref) (dedup.Text, bool, error)

	// Neighbours asks the gate for the neighbours of a kept page, whose text is the one that the gate has.
	Neighbours(sig dedup.Signature, text *dedup.Text, want gatecrawl.NearQuery) ([]dedup.Neighbour, error)

	// Why returns all that is known of a URL.
	Why(ctx context.Context, url string) (gatecrawl.Why, error)

	// Members returns the pages that the verdicts name.
	Members(found []dedup.Neighbour) ([]gatecrawl.Member, error)
}

// NearPage answers gatecrawl.Inspector.NearPage from the pages of a job.
func NearPage(ctx context.Context, n Neighbourhood, url string, want gatecrawl.NearQuery) ([]gatecrawl.Member, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return nil, err
	}
	seq, verdict, sig, err := n.Decided(u)
	if err != nil {
		return nil, err
	}
	if verdict.Copy() {
		return n.Members([]dedup.Neighbour{{Verdict: verdict}})
	}
	var text *dedup.Text
	if t, ok, err := n.Text(dedup.Ref(seq)); err != nil {
		return nil, fmt.Errorf("page %d: %w", seq, err)
	} else if ok {
		text = &t
	}
	asked := want
	if want.Limit > 0 {
		asked.Limit++ // the page itself is among the answers
	}
	found, err := n.Neighbours(sig, text, asked)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(f dedup.Neighbour) bool { return uint64(f.Of) == seq })
	if want.Apart && text != nil {
		more, err := unmet(ctx, n, u, sig, text, found)
		if err != nil {
			return nil, err
		}
		found = Nearest(found, more, 0)
	}
	return n.Members(atMost(want.Limit, found))
}

// mostUnmet is how many pages unmet compares.
const mostUnmet = 8

// unmet compares a kept page with those that have much of its text in common, as is known since the end of a run, and that the
// gate's tables do not bring together with it: pages whose signatures were made with two templates of their site. Each is another
// document, since the gate has not compared the two or, if it had, would have found them to be two.
func unmet(ctx context.Context, n Neighbourhood, u weburl.URL, sig dedup.Signature, text *dedup.Text, found []dedup.Neighbour) (more []dedup.Neighbour, err error) {
	y, err := n.Why(ctx, u.String())
	if err != nil || y.Page == nil {
		return nil, err
	}
	has := func(list []dedup.Neighbour, of uint64) int {
		return slices.IndexFunc(list, func(f dedup.Neighbour) bool { return uint64(f.Of) == of })
	}
	for _, p := range slices.Concat(y.Page.PartOf, y.Page.Contains) {
		if resemblance := 1 / (1/p.Share + 1/p.Rest - 1); !(resemblance >= dedup.Resembles) || len(more) == mostUnmet {
			continue
		}
		v, err := weburl.Parse(p.URL)
		if err != nil {
			return nil, err
		}
		seq, verdict, theirs, err := n.Decided(v)
		if errors.Is(err, gatecrawl.ErrUnknown) || err == nil && (verdict.Copy() || has(found, seq) >= 0 || has(more, seq) >= 0) {
			continue
		}
		if err != nil {
			return nil, err
		}
		as := sig // by what the tables look a page up it is the other one
		as.SimHash, as.Sketch, as.Bands = theirs.SimHash, theirs.Sketch, theirs.Bands
		list, err := n.Neighbours(as, text, gatecrawl.NearQuery{Apart: true})
		if err != nil {
			return nil, err
		}
		if i := has(list, seq); i >= 0 {
			f := list[i]
			if f.Distance = bits.OnesCount64(sig.SimHash ^ theirs.SimHash); f.Apart == "" {
				f.Apart = dedup.NotMet
			}
			more = append(more, f)
		}
	}
	return more, nil
}

// Decided implements Neighbourhood.
func (q *Reader) Decided(u weburl.URL) (seq uint64, verdict dedup.Verdict, sig dedup.Signature, err error) {
	key := u.Key()
	err = q.look(func(in job.Snapshot) error {
		rec, ok, err := in.URL(key)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s: %w", u, gatecrawl.ErrUnknown)
		}
		if seq = rec.Page; rec.State != queue.Done {
			return fmt.Errorf("%s: %w", u, gatecrawl.ErrUnknown)
		}
		p, v, err := in.Page(seq)
		if err != nil {
			return err
		}
		if p.Verdict != page.VerdictNew && p.Verdict != page.VerdictCopy {
			return fmt.Errorf("%s: no document was met there: %w", u, gatecrawl.ErrUnknown)
		}
		if verdict = v; v.Copy() {
			return nil
		}
		kept, err := kv.Has(in, page.TableSignatures, page.Key(seq))
		if err == nil && !kept {
			return fmt.Errorf("%s: nothing of it is kept: %w", u, gatecrawl.ErrUnknown)
		}
		if err == nil {
			sig, err = in.Signature(seq)
		}
		return err
	})
	return seq, verdict, sig, err
}

// Members implements Neighbourhood.
func (q *Reader) Members(found []dedup.Neighbour) ([]gatecrawl.Member, error) {
	members := make([]gatecrawl.Member, 0, len(found))
	err := q.look(func(in job.Snapshot) error {
		for _, v := range found {
			known, err := kv.Has(in, page.TableRecords, page.Key(uint64(v.Of)))
			if err != nil {
				return err
			}
			if !known {
				continue // it was claimed a moment ago, and is not committed yet
			}
			url, err := in.URLOf(uint64(v.Of))
			if err != nil {
				return err
			}
			members = append(members, gatecrawl.Member{
				URL: url, Seq: uint64(v.Of), Class: v.Class.String(), Level: int(v.Level),
				Distance: v.Distance, Similarity: v.Similarity, Apart: v.Apart,
			})
		}
		return nil
	})
	return members, err
}

package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
)

var errGateOff = errors.New("the crawl runs with dedup off, and its gate knows no pages: ask again when it has ended")

// Near is gatecrawl.Inspector's.
func (s *Store) Near(_ context.Context, sig dedup.Signature, text *dedup.Text, limit int) ([]gatecrawl.Member, error) {
	gate, err := s.askGate()
	if err != nil {
		return nil, err
	}
	found, err := gate.Neighbours(sig, text, limit)
	if err != nil {
		return nil, s.advise(err)
	}
	more, err := s.nearOnSite(gate, sig, text, limit)
	if err != nil {
		return nil, s.advise(err)
	}
	for _, v := range more {
		if i := slices.IndexFunc(found, func(f dedup.Verdict) bool { return f.Of == v.Of }); i < 0 {
			found = append(found, v)
		} else if v.Similarity > found[i].Similarity {
			found[i] = v
		}
	}
	if len(more) > 0 {
		slices.SortStableFunc(found, func(a, b dedup.Verdict) int {
			return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(b.Similarity, a.Similarity))
		})
	}
	if limit > 0 {
		found = found[:min(len(found), limit)]
	}
	return s.neighbours(found)
}

// nearOnSite asks for a page that was read without a template as one of its host, by what the
// job knows of that.
func (s *Store) nearOnSite(gate *dedup.Gate, sig dedup.Signature, text *dedup.Text, limit int) ([]dedup.Verdict, error) {
	if text == nil || text.Host == "" {
		return nil, nil
	}
	site, err := s.Template(weburl.HostKeyOf(text.Host))
	if err != nil {
		return nil, err
	}
	on := text.On(site)
	if on == nil {
		return nil, nil
	}
	as := on.Sign()
	as.Bytes, as.Layout = sig.Bytes, sig.Layout
	if s.job.IDF != "" {
		as.SimHash = sig.SimHash // its words are weighed by a table that is not at hand
	}
	return gate.Neighbours(as, on, limit)
}

// NearPage is gatecrawl.Inspector's.
func (s *Store) NearPage(ctx context.Context, url string, limit int) ([]gatecrawl.Member, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return nil, err
	}
	seq, verdict, sig, err := s.decided(u)
	if err != nil {
		return nil, err
	}
	if verdict.Copy() {
		return s.neighbours([]dedup.Verdict{verdict})
	}
	var text *dedup.Text
	if t, ok, err := s.Text(dedup.DocID(seq)); err != nil {
		return nil, fmt.Errorf("page %d: %w", seq, err)
	} else if ok {
		text = &t
	}
	if limit > 0 {
		limit++ // for the page itself
	}
	found, err := s.Near(ctx, sig, text, limit)
	if err != nil {
		return nil, err
	}
	others := found[:0]
	for _, m := range found {
		if m.Seq != seq {
			others = append(others, m)
		}
	}
	if limit > 0 && len(others) == limit {
		others = others[:limit-1]
	}
	return others, nil
}

// decided returns what the gate said of a URL, and the signature of a kept
// page.
func (s *Store) decided(u weburl.URL) (seq uint64, verdict dedup.Verdict, sig dedup.Signature, err error) {
	key := u.Key()
	err = s.look(func(in snapshot) error {
		rec, ok, err := in.url(key)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s: %w", u, gatecrawl.ErrUnknown)
		}
		if seq = rec.Page; rec.State != queue.Done {
			return fmt.Errorf("%s: %w", u, gatecrawl.ErrUnknown)
		}
		p, v, err := in.page(seq)
		if err != nil {
			return err
		}
		if p.Verdict != page.VerdictNew && p.Verdict != page.VerdictCopy {
			return fmt.Errorf("%s: no document was met there: %w", u, gatecrawl.ErrUnknown)
		}
		if verdict = v; v.Copy() {
			return nil
		}
		kept, err := kv.Has(in, tableSignatures, seqKey(seq))
		if err == nil && !kept {
			return fmt.Errorf("%s: nothing of it is kept: %w", u, gatecrawl.ErrUnknown)
		}
		if err == nil {
			sig, err = in.signature(seq)
		}
		return err
	})
	return seq, verdict, sig, err
}

// askGate returns the gate for questions about pages of now.
func (s *Store) askGate() (*dedup.Gate, error) {
	if !s.readOnly {
		if s.gateOff {
			return nil, errGateOff
		}
		return s.gate, nil
	}
	for part, v := range map[string][2]int{
		"purify":    {s.job.Purify, purify.Version},
		"signature": {s.job.Sign, dedup.SignatureVersion},
	} {
		if v[0] != v[1] {
			return nil, &VersionError{Dir: s.dir, Part: part, Got: v[0], Want: v[1]}
		}
	}
	return s.answering()
}

// neighbours names the pages of verdicts.
func (s *Store) neighbours(found []dedup.Verdict) ([]gatecrawl.Member, error) {
	members := make([]gatecrawl.Member, 0, len(found))
	err := s.look(func(in snapshot) error {
		for _, v := range found {
			known, err := kv.Has(in, tablePages, seqKey(uint64(v.Of)))
			if err != nil {
				return err
			}
			if !known {
				continue // was claimed a moment ago, and is not committed yet
			}
			url, err := in.urlOf(uint64(v.Of))
			if err != nil {
				return err
			}
			members = append(members, gatecrawl.Member{
				URL: url, Seq: uint64(v.Of), Class: v.Class.String(), Level: int(v.Level),
				Distance: v.Distance, Similarity: v.Similarity,
			})
		}
		return nil
	})
	return members, err
}

package query

import (
	"context"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/limit"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// chunk is how many records are read in one transaction. During a long transaction the file cannot
// reuse its pages.
const chunk = 1000

// Pages implements gatecrawl.Inspector.
func (q *Reader) Pages(ctx context.Context, from uint64, fn func(page.Record) error) error {
	var ps []page.Record // grows to chunk, if there are so many
	for {
		ps = ps[:0]
		err := q.look(func(in job.Snapshot) error {
			for e, err := range in.Scan(page.TableRecords, page.Key(from), nil) {
				if err != nil {
					return err
				}
				p, err := page.FullOf(in, page.Seq(e.Key), e.Value)
				if err != nil {
					return err
				}
				if err := tellOthers(in, &p); err != nil {
					return err
				}
				if ps = append(ps, p); len(ps) == chunk {
					break
				}
			}
			return nil
		})
		if err != nil || len(ps) == 0 {
			return err
		}
		from = ps[len(ps)-1].Seq + 1
		for _, p := range ps {
			if err := fn(p); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// tellOthers adds to the record of a kept page what other pages have in common with it: the degree
// of its group, and shared parts.
func tellOthers(in job.Snapshot, p *page.Record) error {
	if p.Verdict != page.VerdictNew {
		return nil
	}
	size, _, err := group.WholeSizeOf(in, p.Seq)
	if err != nil {
		return err
	}
	p.Degree = int(size.Degree)
	return parts.Tell(in, p)
}

// Groups implements gatecrawl.Inspector.
func (q *Reader) Groups(ctx context.Context, want gatecrawl.GroupQuery, fn func(gatecrawl.Group) error) error {
	next, left := want.From, want.Limit
	for {
		most := chunk / 10
		if want.Limit > 0 {
			most = min(most, left)
		}
		if most == 0 {
			return nil
		}
		var gs []gatecrawl.Group
		err := q.look(func(in job.Snapshot) error {
			for e, err := range in.Scan(group.TableGroups, page.Key(next), nil) {
				if err != nil {
					return err
				}
				next = page.Seq(e.Key) + 1
				g, err := groupOf(in, page.Seq(e.Key), group.DecodeSize(e.Value), want.Copies)
				if err != nil {
					return err
				}
				if gs = append(gs, g); len(gs) == most {
					break
				}
			}
			return nil
		})
		if err != nil || len(gs) == 0 {
			return err
		}
		left -= len(gs)
		for _, g := range gs {
			if err := fn(g); err != nil {
				return err
			}
		}
		if err := limit.Rest(ctx); err != nil {
			return err
		}
	}
}

// groupOf reads the copies of a kept page, in crawl order; at most limit of them if that is above
// 0.
func groupOf(in job.Snapshot, of uint64, r group.Size, limit int) (gatecrawl.Group, error) {
	url, err := in.URLOf(of)
	if err != nil {
		return gatecrawl.Group{}, err
	}
	g := gatecrawl.Group{URL: url, Seq: of, Degree: int(r.Degree), Copies: []gatecrawl.Member{}}
	for k, err := range group.Voters(in, of) {
		if err != nil {
			return g, err
		}
		if limit > 0 && len(g.Copies) == limit {
			g.More = int(r.Copies) - limit
			break
		}
		m, err := memberAt(in, k)
		if err != nil {
			return g, err
		}
		g.Copies = append(g.Copies, m)
	}
	slices.SortFunc(g.Copies, func(a, b gatecrawl.Member) int { return int(a.Seq) - int(b.Seq) })
	return g, nil
}

// memberAt returns what is known of the copy with the given key.
func memberAt(in job.Snapshot, key weburl.Key) (gatecrawl.Member, error) {
	rec, ok, err := in.URL(key)
	if err != nil {
		return gatecrawl.Member{}, fmt.Errorf("voter %s: %w", key, err)
	}
	if !ok {
		return gatecrawl.Member{}, fmt.Errorf("voter %s: there is no such url", key)
	}
	p, _, err := in.Page(rec.Page)
	if err != nil {
		return gatecrawl.Member{}, fmt.Errorf("voter %s: %w", rec.URL, err)
	}
	return gatecrawl.Member{
		URL: p.URL, Seq: rec.Page, Class: p.Class, Level: p.Level, Distance: p.Distance, Similarity: p.Similarity,
		Differs: p.Differs,
	}, nil
}

// GroupOf returns the copies of a page that this store has, at most limit if that is above 0; ok is
// false if it has none.
func (q *Reader) GroupOf(seq uint64, limit int) (g gatecrawl.Group, ok bool, err error) {
	err = q.look(func(in job.Snapshot) error {
		size, has, err := group.SizeOf(in, seq)
		if err != nil || !has {
			return err
		}
		ok = true
		g, err = groupOf(in, seq, size, limit)
		return err
	})
	return g, ok, err
}

// Named returns the URL whose key has the prefix; "": there is none.
func (q *Reader) Named(prefix []byte) (url string, err error) {
	err = q.look(func(in job.Snapshot) error {
		e, ok, err := kv.First(kv.Prefix(in, queue.TableURLs, prefix))
		if err != nil || !ok {
			return err
		}
		rec, err := queue.Decode(e.Value)
		url = rec.URL
		return err
	})
	return url, err
}

// EachKept calls fn with the number and the signature of every kept page.
func (q *Reader) EachKept(fn func(seq uint64, sig dedup.Signature) error) error {
	return q.look(func(in job.Snapshot) error {
		return kv.Each(in, page.TableSignatures, func(k, b []byte) error {
			sig, err := page.DecodeSignature(b)
			if err != nil {
				return err
			}
			return fn(page.Seq(k), sig)
		})
	})
}

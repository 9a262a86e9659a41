package store

import (
	"context"
	"fmt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Rows is gatecrawl.Inspector's. A snapshot costs the crawl little while it is read, but
// where the file's map grows past its first gigabyte the crawl waits for it to end.
func (s *Store) Rows(ctx context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	return s.kv.View(ctx, func(r kv.Reader) error {
		in := snapshot{r}
		links := s.links.Reader(in)
		defer links.Close()
		named := newTargets(in)
		var counted *inlinks
		if want.Inlinks {
			var err error
			if counted, err = s.countInlinks(ctx, in); err != nil {
				return err
			}
		}
		for e, err := range in.Scan(tablePages, nil, nil) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			row, err := s.row(in, e, want)
			if err != nil {
				return err
			}
			if row == nil {
				continue
			}
			if counted != nil {
				row.Inlinks = counted.of(row.Page.URL)
			}
			if want.Links && row.Page.Verdict == page.VerdictNew {
				if row.Links, err = in.edges(links, named, row.Page.Seq, row.Page.URL); err != nil {
					return err
				}
			}
			if err := fn(row); err != nil {
				return err
			}
		}
		if want.Requisites {
			return s.requisiteRows(ctx, in, want, fn)
		}
		return nil
	})
}

// row reads what is kept of a page; nil: it is not wanted, or a later version replaced it.
func (s *Store) row(in snapshot, e kv.Entry, want gatecrawl.Wanted) (*gatecrawl.Row, error) {
	seq := seqOf(e.Key)
	rec, err := page.FullOf(in, seq, e.Value)
	if err != nil || rec.ReplacedBy != 0 && !want.Older || want.Verdict != "" && rec.Verdict != want.Verdict {
		return nil, err
	}
	row := &gatecrawl.Row{Page: rec}
	if !rec.Document() {
		return row, nil
	}
	if rec.Verdict == page.VerdictNew {
		g, ok, err := group.SizeOf(in, seq)
		if err != nil {
			return nil, err
		}
		if ok {
			row.Degree, row.Copies = int(g.Degree), int(g.Copies)
		}
		row.Page.Degree = row.Degree
		if err := parts.Tell(in, &row.Page); err != nil {
			return nil, err
		}
	}
	if want.Views {
		if row.View, err = in.Get(tableViews, seqKey(seq)); err != nil {
			return nil, err
		}
	}
	if want.Places {
		if row.File, row.Offset, err = s.placeIn(in, seq); err != nil {
			return nil, err
		}
	}
	if want.Records {
		if row.Record, err = s.recordIn(in, seq); err != nil {
			return nil, err
		}
	}
	if want.Bodies || page.IsOnBytes(row.View) {
		if row.Body, err = s.bodyIn(in, seq); err != nil {
			return nil, err
		}
	}
	if row.View != nil {
		if row.View, err = page.AloneView(row.View, row.Body); err != nil {
			return nil, fmt.Errorf("page %d: %w", seq, err)
		}
	}
	if !want.Bodies {
		row.Body = nil
	}
	return row, nil
}

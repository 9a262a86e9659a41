package query

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Rows implements gatecrawl.Inspector. While its snapshot is read, a crawl is hardly slowed down;
// but if the file's map has to grow, beyond its first gigabyte, the crawl waits for the end.
func (q *Reader) Rows(ctx context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	return q.job.Tables.View(ctx, func(r kv.Reader) error {
		in := job.Snapshot{Reader: r}
		links := q.job.Links.Reader(in)
		defer links.Close()
		named := q.newTargets(in)
		var counted *inlinks
		if want.Inlinks {
			var err error
			if counted, err = q.countInlinks(ctx, in); err != nil {
				return err
			}
		}
		records := in.Scan(page.TableRecords, nil, nil)
		if want.URLs != nil {
			var err error
			if records, err = recordsOf(in, want.URLs); err != nil {
				return err
			}
		}
		var room []byte // of a record, reused if nobody keeps it
		for e, err := range records {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			row, err := q.row(in, e, want, &room)
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
				if row.Links, err = edgesOf(links, named, row.Page.Seq, row.Page.URL); err != nil {
					return err
				}
			}
			if err := fn(row); err != nil {
				return err
			}
		}
		if want.Requisites {
			return q.job.Requisites.Rows(ctx, in, want, fn)
		}
		return nil
	})
}

// recordsOf yields the records of those of some URLs that were settled, in crawl order.
func recordsOf(in job.Snapshot, urls []string) (iter.Seq2[kv.Entry, error], error) {
	var at []uint64
	for _, url := range urls {
		u, err := weburl.Parse(url)
		if err != nil {
			return nil, err
		}
		rec, ok, err := in.URL(u.Key())
		if err != nil {
			return nil, err
		}
		if ok && rec.Page != 0 {
			at = append(at, rec.Page)
		}
	}
	slices.Sort(at)
	return func(yield func(kv.Entry, error) bool) {
		for _, seq := range slices.Compact(at) {
			value, err := page.Encoded(in, seq)
			if !yield(kv.Entry{Key: page.Key(seq), Value: value}, err) {
				return
			}
		}
	}, nil
}

// row reads what is stored of a page; nil if the page is not wanted, or was replaced by a later
// version. It reads the record into room, which the next row reuses if this one does not keep it.
func (q *Reader) row(in job.Snapshot, e kv.Entry, want gatecrawl.Wanted, room *[]byte) (*gatecrawl.Row, error) {
	seq := page.Seq(e.Key)
	rec, err := page.FullOf(in, seq, e.Value)
	if err != nil || rec.ReplacedBy != 0 && !want.Older || want.Verdict != "" && rec.Verdict != want.Verdict {
		return nil, err
	}
	row := &gatecrawl.Row{Page: rec}
	if !rec.Document() {
		return row, nil
	}
	if rec.Verdict == page.VerdictNew {
		g, ok, err := group.WholeSizeOf(in, seq)
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
		if row.View, err = in.Get(page.TableViews, page.Key(seq)); err != nil {
			return nil, err
		}
	}
	if want.Places {
		if row.File, row.Offset, err = q.job.Archive.Place(in, seq); err != nil {
			return nil, err
		}
	}
	return row, q.unpack(in, row, want, room)
}

// unpack reads the parts of a row that are in the archive: its record, its body, and its view if
// that is packed relative to the body.
func (q *Reader) unpack(in job.Snapshot, row *gatecrawl.Row, want gatecrawl.Wanted, room *[]byte) error {
	seq := row.Page.Seq
	onBytes := page.IsOnBytes(row.View) && !want.Bodies
	if !want.Records && !want.Bodies && !onBytes {
		return nil
	}
	record, err := q.job.Archive.Record(in, seq, *room)
	if err != nil || record == nil && !onBytes {
		return err
	}
	if want.Records {
		row.Record = record
	}
	var body []byte
	if want.Bodies || onBytes {
		if body, err = q.job.Archive.BodyOf(in, seq, record); err != nil {
			return err
		}
	}
	if want.Bodies {
		row.Body = body
	}
	if onBytes {
		if row.View, err = page.AloneView(row.View, body); err != nil {
			return fmt.Errorf("page %d: %w", seq, err)
		}
	}
	if want.Lent || !want.Records && !want.Bodies {
		*room = record // for the next row
	}
	return nil
}

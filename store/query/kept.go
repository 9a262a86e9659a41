package query

import (
	"context"
	"fmt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
)

// View implements gatecrawl.Inspector.
func (q *Reader) View(_ context.Context, url string) (*purify.DocView, error) {
	var v *purify.DocView
	err := q.kept(url, page.TableViews, func(in job.Snapshot, seq uint64, _ []byte) (err error) {
		v, err = q.job.Archive.View(in, seq)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.Sum()
	return v, nil
}

// Body implements gatecrawl.Inspector.
func (q *Reader) Body(_ context.Context, url string) ([]byte, error) {
	var b []byte
	err := q.kept(url, page.TableBodies, func(_ job.Snapshot, _ uint64, place []byte) (err error) {
		b, err = q.job.Archive.BodyAt(place)
		return err
	})
	return b, err
}

// kept calls fn with a table's row for a settled URL, and the page's number.
func (q *Reader) kept(url string, t *kv.Table, fn func(in job.Snapshot, seq uint64, v []byte) error) error {
	u, err := weburl.Parse(url)
	if err != nil {
		return err
	}
	key := u.Key()
	return q.look(func(in job.Snapshot) error {
		rec, ok, err := in.URL(key)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s: %w", u, gatecrawl.ErrUnknown)
		}
		v, err := in.Get(t, page.Key(rec.Page))
		if err != nil {
			return err
		}
		if v == nil {
			return fmt.Errorf("%s: nothing of it is kept: %w", u, gatecrawl.ErrUnknown)
		}
		return fn(in, rec.Page, v)
	})
}

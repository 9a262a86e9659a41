package requisite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Known reads what the job has for the visit of a file: its validators if it has the file, and
// otherwise whether its page has reached the limit of bytes.
func (f *Files) Known(r kv.Reader, l frontier.Lease, k *page.Known) error {
	if l.Again {
		key := l.URL.Key().Requisite()
		var had file
		_, err := readRow(r, TableRequisites, key[:], &had)
		k.ETag, k.LastModified = had.ETag, had.LastModified
		return err
	}
	var n needs
	_, err := readRow(r, tableNeeds, l.From[:], &n)
	k.Full = n.Bytes >= f.options.Bytes
	return err
}

// Sought reports whether the requisites of a page were looked for.
func (f *Files) Sought(r kv.Reader, of weburl.Key) (bool, error) {
	return readRow(r, tableNeeds, of[:], new(needs))
}

// Rows calls fn for every requisite that was answered.
func (f *Files) Rows(ctx context.Context, in kv.Reader, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	return kv.Each(in, TableRequisites, func(k, v []byte) error {
		var r file
		if err := errors.Join(ctx.Err(), json.Unmarshal(v, &r)); err != nil {
			return fmt.Errorf("requisite %x: %w", k, err)
		}
		for _, place := range r.places() {
			if err := f.row(&r, place, want, fn); err != nil {
				return err
			}
		}
		return nil
	})
}

// row calls fn for one version of a file.
func (f *Files) row(r *file, place []byte, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	row := &gatecrawl.Row{Requisite: true, Page: page.Record{URL: r.URL, Fetched: r.Fetched, Status: r.Status, Type: r.Type, Bytes: r.Bytes}}
	if want.Records {
		var err error
		if row.Record, err = f.archive.RecordAt(place, nil); err != nil {
			return fmt.Errorf("%s: %w", r.URL, err)
		}
	}
	return fn(row)
}

package requisite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Version reads by what the server named the version of a file that the job has.
func Version(r kv.Reader, u weburl.Key, k *page.Known) error {
	key := u.Requisite()
	var f file
	_, err := readRow(r, TableRequisites, key[:], &f)
	k.ETag, k.LastModified = f.ETag, f.LastModified
	return err
}

// MayNeed reports whether a page may have one more file by the bytes that it has.
func (f *Files) MayNeed(r kv.Reader, of weburl.Key) (bool, error) {
	var n needs
	_, err := readRow(r, tableNeeds, of[:], &n)
	return n.Bytes < f.options.Bytes, err
}

// Rows calls fn for every file that pages need and that was answered.
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
		if row.Record, err = f.archive.RecordAt(place); err != nil {
			return fmt.Errorf("%s: %w", r.URL, err)
		}
	}
	return fn(row)
}

package store

import (
	"context"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A snapshot is the job at one moment, to be read.
type snapshot struct{ kv.Reader }

// look calls fn with the job as it is now.
func (s *Store) look(fn func(in snapshot) error) error {
	return s.kv.View(context.Background(), func(r kv.Reader) error { return fn(snapshot{r}) })
}

// each calls fn for every row of a table.
func each(r kv.Reader, t *kv.Table, fn func(k, v []byte) error) error { return kv.Each(r, t, fn) }

// page, fullPage, urlOf and signature are package page's Get, Full, URLOf and Signature.
func (in snapshot) page(seq uint64) (page.Record, dedup.Verdict, error) { return page.Get(in, seq) }
func (in snapshot) fullPage(seq uint64) (page.Record, error)            { return page.Full(in, seq) }
func (in snapshot) urlOf(seq uint64) (string, error)                    { return page.URLOf(in, seq) }
func (in snapshot) signature(seq uint64) (dedup.Signature, error)       { return page.Signature(in, seq) }

// url reads the record of a URL; ok is false where the URL was never met.
func (in snapshot) url(k weburl.Key) (rec queue.Record, ok bool, err error) {
	return queue.Get(in.Reader, k)
}

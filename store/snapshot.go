package store

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// A snapshot is the job at one moment, to be read.
type snapshot struct{ kv.Reader }

// look calls fn with the job as it is now.
func (s *Store) look(fn func(in snapshot) error) error {
	return s.kv.View(context.Background(), func(r kv.Reader) error { return fn(snapshot{r}) })
}

// each calls fn for every row of a table.
func each(r kv.Reader, t *kv.Table, fn func(k, v []byte) error) error {
	for e, err := range kv.All(r, t) {
		if err == nil {
			err = fn(e.Key, e.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// record returns the written record of a page.
func (in snapshot) record(seq uint64) ([]byte, error) {
	b, err := in.Get(tablePages, seqKey(seq))
	if err == nil && b == nil {
		err = fmt.Errorf("page %d: there is no such record", seq)
	}
	return b, err
}

// page reads a record.
func (in snapshot) page(seq uint64) (page.Record, dedup.Verdict, error) {
	b, err := in.record(seq)
	if err != nil {
		return page.Record{}, dedup.Verdict{}, err
	}
	p, v, err := decodePage(b)
	if err != nil {
		return p, v, fmt.Errorf("page %d: %w", seq, err)
	}
	p.Seq = seq
	return p, v, nil
}

// fullPage reads a record and fills in what is derived.
func (in snapshot) fullPage(seq uint64) (page.Record, error) {
	b, err := in.record(seq)
	if err != nil {
		return page.Record{}, err
	}
	return in.pageAt(seq, b)
}

// pageAt decodes the record of a page and fills in what is derived.
func (in snapshot) pageAt(seq uint64, b []byte) (page.Record, error) {
	p, v, err := decodePage(b)
	if err != nil {
		return p, fmt.Errorf("page %d: %w", seq, err)
	}
	p.Seq = seq
	if v.Copy() {
		if p.Of, err = in.urlOf(uint64(v.Of)); err != nil {
			return p, err
		}
	}
	return p, nil
}

// urlOf returns the URL of a record.
func (in snapshot) urlOf(seq uint64) (string, error) {
	b, err := in.record(seq)
	if err != nil {
		return "", err
	}
	d := row.Decoder{B: b}
	d.Byte()
	return d.Text(), d.Err
}

// signature reads that of a kept page.
func (in snapshot) signature(seq uint64) (sig dedup.Signature, err error) {
	b, err := in.Get(tableSignatures, seqKey(seq))
	if err != nil {
		return sig, err
	}
	if b == nil {
		return sig, fmt.Errorf("page %d: no signature is kept", seq)
	}
	if sig, err = decodeSignature(b); err != nil {
		return sig, fmt.Errorf("page %d: %w", seq, err)
	}
	return sig, nil
}

// group reads what is counted of a kept page's copies; ok is false where it has none.
func (in snapshot) group(of uint64) (g groupRecord, ok bool, err error) {
	b, err := in.Get(tableGroups, seqKey(of))
	if err != nil || b == nil {
		return g, false, err
	}
	return decodeGroup(b), true, nil
}

// voters yields the keys of a kept page's copies.
func (in snapshot) voters(of uint64) iter.Seq2[weburl.Key, error] {
	return func(yield func(weburl.Key, error) bool) {
		for e, err := range kv.Prefix(in, tableVotes, seqKey(of)) {
			if err != nil {
				yield(weburl.Key{}, err)
				return
			}
			if !yield(weburl.Key(e.Key[8:]), nil) {
				return
			}
		}
	}
}

// get returns a copy of a value, for after the snapshot; nil: none.
func (in snapshot) get(t *kv.Table, key []byte) ([]byte, error) {
	b, err := in.Get(t, key)
	return bytes.Clone(b), err
}

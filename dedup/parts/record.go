package parts

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// The tables of parts, by page.Key of a kept page.
var (
	// TableSketches has the sample of a page's shingles: values of 4 bytes, rising.
	TableSketches = &kv.Table{Name: "part-sketches", Fill: .95}

	// TablePending has the pages that Find has not compared yet.
	TablePending = &kv.Table{Name: "part-pending", Fill: .95}

	// TableParts has what a page shares with others.
	TableParts = &kv.Table{Name: "parts"}
)

// Tables returns the tables above.
func Tables() []*kv.Table { return []*kv.Table{TableSketches, TablePending, TableParts} }

// present is the value of a key that needs none.
var present = []byte{1}

// leastSample is the number of values from which a sample is used: those of some 30 words.
const leastSample = 4

// maxShared is how many other pages are stored for a page at most: those with the largest shares.
const maxShared = 32

// A shared is what a page shares with another one.
type shared struct {
	other uint64 // sequence number of the other page
	part  bool   // this page is the part
	share float64
	rest  float64
	texts []dedup.Passage
}

// form is the version of the encoding of sketches and parts, their first byte.
const form = 1

var errForm = errors.New("it is of a form that this program does not know")

func encode(list []shared) []byte {
	e := row.Encoder{B: []byte{form}}
	for _, s := range list {
		e.Uint(s.other)
		e.Bool(s.part)
		e.Float32(float32(s.share))
		e.Float32(float32(s.rest))
		e.Uint(uint64(len(s.texts)))
		for _, t := range s.texts {
			e.Text(t.Text)
		}
	}
	return e.B
}

func decode(b []byte) (list []shared, err error) {
	d := row.Decoder{B: b}
	if d.Byte() != form {
		return nil, errForm
	}
	for len(d.B) > 0 && d.Err == nil {
		s := shared{other: d.Uint(), part: d.Bool(), share: float64(d.Float32()), rest: float64(d.Float32())}
		for n := d.Uint(); n > 0 && d.Err == nil; n-- {
			s.texts = append(s.texts, dedup.Passage{Text: d.Text()})
		}
		list = append(list, s)
	}
	return list, d.Err
}

func encodeSketch(sample []uint32) []byte {
	b := append(make([]byte, 0, 1+4*len(sample)), form)
	for _, v := range sample {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

var errSketch = errors.New("its sample is not as it was written")

// decodeSketch appends the values of a sketch to sample, which is empty.
func decodeSketch(sample []uint32, b []byte) ([]uint32, error) {
	if len(b) == 0 || b[0] != form {
		return sample, errForm
	}
	if b = b[1:]; len(b)%4 != 0 {
		return sample, errSketch
	}
	for ; len(b) > 0; b = b[4:] {
		sample = append(sample, binary.BigEndian.Uint32(b))
	}
	if !slices.IsSorted(sample) {
		return sample, errSketch
	}
	return sample, nil
}

// Add stores the sample of a page that has become a kept page, or is read with another template
// now, and keeps its text in recent.
func Add(tx kv.Tx, seq uint64, t *dedup.Text, recent *Recent) error {
	if err := Forget(tx, seq); err != nil || t == nil {
		return err
	}
	if AddSample(tx, seq, t.Sample()) {
		recent.add(seq, t)
	}
	return nil
}

// AddSample stores the sample of a new page's text, and reports whether it is long enough.
func AddSample(tx kv.Tx, seq uint64, sample []uint32) bool {
	if len(sample) < leastSample {
		return false
	}
	tx.Put(TableSketches, page.Key(seq), encodeSketch(sample))
	tx.Put(TablePending, page.Key(seq), present)
	return true
}

// Forget deletes what is stored for a page that is no longer kept.
func Forget(tx kv.Tx, seq uint64) error {
	k := page.Key(seq)
	had, err := tx.Get(TableSketches, k)
	if err != nil || had == nil {
		return err
	}
	tx.Delete(TableSketches, k)
	tx.Delete(TablePending, k)
	list, err := of(tx, seq)
	if err != nil || list == nil {
		return err
	}
	tx.Delete(TableParts, k)
	for _, s := range list {
		others, err := of(tx, s.other)
		if err != nil {
			return err
		}
		put(tx, s.other, slices.DeleteFunc(others, func(o shared) bool { return o.other == seq }))
	}
	return nil
}

func of(r kv.Reader, seq uint64) ([]shared, error) {
	b, err := r.Get(TableParts, page.Key(seq))
	if err != nil || b == nil {
		return nil, err
	}
	list, err := decode(b)
	if err != nil {
		return nil, fmt.Errorf("parts of page %d: %w", seq, err)
	}
	return list, nil
}

func put(tx kv.Tx, seq uint64, list []shared) {
	if len(list) == 0 {
		tx.Delete(TableParts, page.Key(seq))
		return
	}
	tx.Put(TableParts, page.Key(seq), encode(list))
}

// join adds s to what is stored for a page, and replaces the entry for the same other page. Shares
// are rounded as they are when they are stored.
func join(list []shared, s shared) []shared {
	s.share, s.rest = float64(float32(s.share)), float64(float32(s.rest))
	list = append(slices.DeleteFunc(list, func(o shared) bool { return o.other == s.other }), s)
	slices.SortFunc(list, func(a, b shared) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(a.other, b.other))
	})
	return list[:min(len(list), maxShared)]
}

// Tell writes into the record of a page which other pages it is part of, and which it contains.
func Tell(r kv.Reader, p *page.Record) (err error) {
	if p.Verdict != page.VerdictNew || p.ReplacedBy != 0 {
		return nil
	}
	p.PartOf, p.Contains, err = Of(r, p.Seq, func(seq uint64) (string, error) { return page.URLOf(r, seq) })
	return err
}

// Of returns which other pages a page is part of, and which it contains parts of, by their URLs.
func Of(r kv.Reader, seq uint64, url func(seq uint64) (string, error)) (partOf, contains []page.Part, err error) {
	list, err := of(r, seq)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range list {
		name, err := url(s.other)
		if err != nil {
			return nil, nil, err
		}
		it := page.Part{URL: name, Share: s.share, Rest: s.rest, Passages: s.texts}
		if s.part {
			partOf = append(partOf, it)
		} else {
			contains = append(contains, it)
		}
	}
	return partOf, contains, nil
}

// Each calls visit with the sequence number of each page that shares something with another, in
// order.
func Each(r kv.Reader, visit func(seq uint64) error) error {
	return kv.Each(r, TableParts, func(k, _ []byte) error { return visit(page.Seq(k)) })
}

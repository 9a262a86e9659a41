package lab

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"gatecrawl.example/gatecrawl/dedup/index"
)

// The tables of Manku, Jain and Das Sarma (2007) are a compromise between these two schemes.
// The cost of both grows with the number of fingerprints within k bits of one, 43,745 at k = 3.

// maxScheme is the largest distance of both: at 4 bits one fingerprint has 679,121 others
// around it.
const maxScheme = 3

// around calls yield for every fingerprint within k bits of fp, fp first, until it returns
// false.
func around(fp uint64, k int, yield func(fp uint64) bool) {
	if yield(fp) {
		flips(fp, 0, k, yield)
	}
}

// flips calls yield for every fingerprint that differs from fp in 1 to k bits, none below the given one, until it returns false.
// It reports whether that did not happen.
func flips(fp uint64, from, k int, yield func(uint64) bool) bool {
	if k == 0 {
		return true
	}
	for i := from; i < 64; i++ {
		x := fp ^ 1<<i
		if !yield(x) || !flips(x, i+1, k-1, yield) {
			return false
		}
	}
	return true
}

// Around returns how many fingerprints are within k bits of a given one.
func Around(k int) (n int) {
	choices := 1
	for i := range k + 1 {
		n += choices
		choices = choices * (64 - i) / (i + 1)
	}
	return n
}

// Probes are sorted fingerprints. A query looks up every fingerprint within k bits of its own
// (scheme 2 of the article): this takes no memory beyond the fingerprints, and 43,745 binary
// searches per query at k = 3.
type Probes []entry64

// NewProbes sorts fingerprints, whose documents are their numbers from 1.
func NewProbes(fps []uint64) Probes {
	x := make(Probes, len(fps))
	for i, fp := range fps {
		x[i] = entry64{fp, index.DocID(i + 1)}
	}
	slices.SortFunc(x, byFingerprint)
	return x
}

func byFingerprint(a, b entry64) int {
	return cmp.Or(cmp.Compare(a.fp, b.fp), cmp.Compare(a.doc, b.doc))
}

// Bytes returns the memory that x takes.
func (x Probes) Bytes() int64 { return 16 * int64(len(x)) }

// Near calls yield for every fingerprint within k bits of fp.
func (x Probes) Near(fp uint64, k int, yield func(doc index.DocID, fp uint64, d int) bool) {
	around(fp, k, func(near uint64) bool {
		return x.equal(near, func(e entry64) bool { return yield(e.doc, e.fp, bits.OnesCount64(e.fp^fp)) })
	})
}

// equal calls yield for the documents that have a fingerprint.
func (x Probes) equal(fp uint64, yield func(entry64) bool) bool {
	at, _ := slices.BinarySearchFunc(x, entry64{fp: fp}, byFingerprint)
	for ; at < len(x) && x[at].fp == fp; at++ {
		if !yield(x[at]) {
			return false
		}
	}
	return true
}

// Neighbours are all fingerprints within k bits of the stored ones, each with the document it
// belongs to (scheme 3 of the article): one search per query, and 43,745 times the memory at
// k = 3.
type Neighbours struct {
	rows Probes // of what is around, with the number of what it is around
	fps  []uint64
}

// NewNeighbours stores what is around fingerprints, whose documents are their numbers from 1.
// An error says that k is above 3.
func NewNeighbours(fps []uint64, k int) (*Neighbours, error) {
	if k < 0 || k > maxScheme {
		return nil, fmt.Errorf("neighbours within %d bits: want 0 to %d", k, maxScheme)
	}
	x := &Neighbours{fps: fps, rows: make(Probes, 0, len(fps)*Around(k))}
	for i, fp := range fps {
		around(fp, k, func(near uint64) bool {
			x.rows = append(x.rows, entry64{near, index.DocID(i + 1)})
			return true
		})
	}
	slices.SortFunc(x.rows, byFingerprint)
	return x, nil
}

// Bytes returns the memory that x takes.
func (x *Neighbours) Bytes() int64 { return x.rows.Bytes() + 8*int64(len(x.fps)) }

// Near calls yield for every fingerprint within k bits of fp. k is at most the distance that x
// was made for.
func (x *Neighbours) Near(fp uint64, k int, yield func(doc index.DocID, fp uint64, d int) bool) {
	x.rows.equal(fp, func(e entry64) bool {
		of := x.fps[e.doc-1]
		d := bits.OnesCount64(of ^ fp)
		return d > k || yield(e.doc, of, d)
	})
}

// Widths returns, for each table of x, the number of leading bits that a query must share: p
// in the article.
func (x *Sorted) Widths() (p []int) {
	for i := range x.tables {
		p = append(p, x.tables[i].width)
	}
	return p
}

// Reads returns how many packed rows a query reads in all tables together.
func (x *Sorted) Reads(fp uint64) (rows int) {
	for i := range x.tables {
		w := window{t: &x.tables[i], b: -1}
		lo, hi := w.t.ends(w.t.permuted(fp))
		w.between(lo, hi, func(int, uint64) bool { rows++; return true })
	}
	return rows
}

// RunProbes asks scheme 2 about at most sample fingerprints, within 3 bits and a hundred
// times.
func (o TrialOptions) RunProbes(sample int) (t Trial, size int, err error) {
	fps := o.schemed(sample)
	o.Size, o.Distance, o.Queries = len(fps), min(o.Distance, maxScheme), 100
	var x Probes
	t.Build, t.BuildCPU = timed(func() { x = NewProbes(fps) })
	t.Bytes = x.Bytes()
	return t, o.Size, t.ask(o, x, o.queries())
}

// RunNeighbours asks scheme 3 about at most sample fingerprints, within 3 bits.
func (o TrialOptions) RunNeighbours(sample int) (t Trial, size int, err error) {
	fps := o.schemed(sample)
	o.Size, o.Distance, o.Queries = len(fps), min(o.Distance, maxScheme), min(o.Queries, 100_000)
	var x *Neighbours
	t.Build, t.BuildCPU = timed(func() { x, err = NewNeighbours(fps, o.Distance) })
	if err != nil {
		return t, o.Size, err
	}
	t.Bytes = x.Bytes()
	return t, o.Size, t.ask(o, x, o.queries())
}

// schemed returns the first fingerprints of a trial, those that its queries are planted at
// once Size is their number.
func (o TrialOptions) schemed(sample int) []uint64 {
	o.Size = min(o.Size, sample)
	fps, at := make([]uint64, o.Size), o.maker()
	for i := range fps {
		fps[i], _ = at(i)
	}
	return fps
}

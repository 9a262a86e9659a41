package parts

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

const (
	maxRows = 1 << 12 // that are read in one snapshot, or changed in one commit

	// fewNew is how many new pages are few: their values are looked for in the samples of all, and what has none
	// of them is not sorted.
	fewNew = 1 << 14

	// mostValueBits is how many bits of a value lead to its bit among the values of few new pages at most. There are
	// 2^13 bits for each of these pages, some hundred times as many as a sample has values.
	mostValueBits = 24
	bitsOfPage    = 13
)

// A pair of pages may have a part in common; a came later.
type pair struct {
	a, b   uint64
	shared int
}

// A meeting finds the pages that have values of their samples in common: the values of all pages are sorted,
// those of a few pages name the pairs of these pages, and the pairs are sorted and counted.
type meeting struct {
	dir    string
	isNew  []uint64 // a bit for each page that was not compared
	news   int
	fewNew int
	few    []uint64 // bits of the values of the new pages if they are few, by the last bits of a value; nil: all values count
	sizes  []uint16 // of the samples, by the page's place
	values *sorter  // value<<32 | place of the page
	sample []uint32
}

func newMeeting(dir string) *meeting {
	return &meeting{dir: dir, fewNew: fewNew, values: newSorter(dir, 32)}
}

func (m *meeting) close() error { return m.values.close() }

func bit(at uint64) (word uint64, mask uint64) { return at >> 6, 1 << (at & 63) }

// bitOf returns the place of a value's bit in few.
func (m *meeting) bitOf(v uint32) (word, mask uint64) {
	return bit(uint64(v) & uint64(len(m.few)<<6-1))
}

// compares reports whether a page is new.
func (m *meeting) compares(seq uint64) bool {
	word, mask := bit(seq)
	return word < uint64(len(m.isNew)) && m.isNew[word]&mask != 0
}

// collect reads the samples of all pages, if there are new ones.
func (m *meeting) collect(ctx context.Context, s kv.Store) error {
	err := s.View(ctx, func(r kv.Reader) error {
		return kv.Each(r, TablePending, func(k, _ []byte) error {
			seq := page.Seq(k)
			if seq > math.MaxUint32 {
				return nil // no job has so many pages
			}
			word, mask := bit(seq)
			if n := int(word) + 1 - len(m.isNew); n > 0 {
				m.isNew = append(m.isNew, make([]uint64, n)...)
			}
			m.isNew[word] |= mask
			m.news++
			return nil
		})
	})
	if err != nil || m.news == 0 {
		return err
	}
	if m.news <= m.fewNew {
		if err := m.seek(ctx, s); err != nil {
			return err
		}
	}
	for from := uint64(1); from != 0 && ctx.Err() == nil; {
		if from, err = m.read(ctx, s, from); err != nil {
			return err
		}
	}
	return nil
}

// seek notes the values of the new pages.
func (m *meeting) seek(ctx context.Context, s kv.Store) error {
	m.few = make([]uint64, 1<<(min(bits.Len(uint(m.news))+bitsOfPage, mostValueBits)-6))
	return s.View(ctx, func(r kv.Reader) (err error) {
		for i, set := range m.isNew {
			for ; set != 0; set &= set - 1 {
				if m.sample, err = sampleOf(r, uint64(i)<<6|uint64(bits.TrailingZeros64(set)), m.sample); err != nil {
					return err
				}
				for _, v := range m.sample {
					word, mask := m.bitOf(v)
					m.few[word] |= mask
				}
			}
		}
		return nil
	})
}

// read reads samples from a page on, and returns where to go on; 0: there are no more.
func (m *meeting) read(ctx context.Context, s kv.Store, from uint64) (next uint64, err error) {
	read := 0
	err = s.View(ctx, func(r kv.Reader) error {
		for e, err := range r.Scan(TableSketches, page.Key(from), nil) {
			if err != nil {
				return err
			}
			seq := page.Seq(e.Key)
			if read == maxRows {
				next = seq
				return nil
			}
			read++
			if m.sample, err = decodeSketch(m.sample[:0], e.Value); err != nil {
				return err
			}
			if err := m.add(seq); err != nil {
				return err
			}
		}
		return nil
	})
	return next, err
}

// add takes the sample that was read as that of a page.
func (m *meeting) add(seq uint64) error {
	if seq > math.MaxUint32 {
		return nil
	}
	if n := int(seq) + 1 - len(m.sizes); n > 0 {
		m.sizes = append(m.sizes, make([]uint16, n)...)
	}
	m.sizes[seq] = uint16(min(len(m.sample), math.MaxUint16))
	for _, v := range m.sample {
		if m.few != nil {
			if word, mask := m.bitOf(v); m.few[word]&mask == 0 {
				continue
			}
		}
		if err := m.values.add(uint64(v)<<32 | seq); err != nil {
			return err
		}
	}
	return nil
}

// each calls visit with the pairs that have enough values in common, some thousand at a time, in the order of their
// later pages, until ctx is cancelled.
func (m *meeting) each(ctx context.Context, visit func([]pair) error) (err error) {
	met := newSorter(m.dir, 32+max(0, bits.Len(uint(len(m.sizes)))-partitionBits))
	defer func() { err = errors.Join(err, met.close()) }()
	var list []uint64
	for p := range partitions {
		if ctx.Err() != nil {
			return nil
		}
		if list, err = m.values.sorted(p, list); err != nil {
			return err
		}
		for same := range runs(list, 32) {
			if err := m.meet(met, same); err != nil {
				return err
			}
		}
	}
	var pairs []pair
	for p := range partitions {
		if list, err = met.sorted(p, list); err != nil {
			return err
		}
		for of := range runs(list, 32) {
			pairs = m.pairsOf(pairs, of)
			if len(pairs) < maxRows {
				continue
			}
			if ctx.Err() != nil {
				return nil
			}
			if err := visit(pairs); err != nil {
				return err
			}
			pairs = pairs[:0]
		}
	}
	return visit(pairs)
}

// runs returns the parts of a sorted list whose numbers are the same without their last bits.
func runs(list []uint64, last int) func(func([]uint64) bool) {
	return func(yield func([]uint64) bool) {
		for from, to := 0, 0; from < len(list); from = to {
			for to = from + 1; to < len(list) && list[to]>>last == list[from]>>last; to++ {
			}
			if !yield(list[from:to]) {
				return
			}
		}
	}
}

// meet notes the pairs of pages that have a value, of which one is new.
func (m *meeting) meet(met *sorter, same []uint64) error {
	if len(same) > maxPagesOf {
		return nil
	}
	for i, x := range same {
		b := x & math.MaxUint32
		for _, y := range same[i+1:] {
			a := y & math.MaxUint32
			if a == b || !m.compares(a) && !m.compares(b) {
				continue
			}
			if err := met.add(a<<32 | b); err != nil {
				return err
			}
		}
	}
	return nil
}

// pairsOf appends to pairs those of one page that have enough values in common, at most maxCandidates. Of has a
// number for each value.
func (m *meeting) pairsOf(pairs []pair, of []uint64) []pair {
	from := len(pairs)
	for same := range runs(of, 0) {
		p := pair{same[0] >> 32, same[0] & math.MaxUint32, len(same)}
		if p.shared >= leastShared && float64(p.shared) >= leastEstimated*float64(min(m.sizes[p.a], m.sizes[p.b])) {
			pairs = append(pairs, p)
		}
	}
	found := pairs[from:]
	slices.SortFunc(found, func(x, y pair) int { return cmp.Or(cmp.Compare(y.shared, x.shared), cmp.Compare(x.b, y.b)) })
	return pairs[:from+min(len(found), maxCandidates)]
}

// done notes that the new pages were compared.
func (m *meeting) done(ctx context.Context, s kv.Store) error {
	const words = maxRows / 64
	for from := 0; from < len(m.isNew); from += words {
		err := s.Update(ctx, func(tx kv.Tx) error {
			for i, set := range m.isNew[from:min(from+words, len(m.isNew))] {
				for ; set != 0; set &= set - 1 {
					tx.Delete(TablePending, page.Key(uint64(from+i)<<6|uint64(bits.TrailingZeros64(set))))
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

package parts

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Bounds of Find. It holds the samples of maxPages pages in memory, 8 bytes a value: some 40 MB.
const (
	maxPages      = 1 << 16 // that are compared with all in one pass
	maxRows       = 1 << 12 // that are read in one snapshot
	maxPagesOf    = 12      // pages of a pass that have a value: a value that more have is ignored
	maxCandidates = 16      // whose texts are read for one page, those with the most values
	maxTexts      = 128     // that are held in memory
)

// What samples and texts have to have in common.
const (
	leastShared    = 3   // values
	leastEstimated = 0.2 // share of the smaller sample
	leastShare     = 0.4 // share of the part's shingles that the whole has, and of its words in passages of some length
	leastBoth      = 40  // shingles: of some 40 words
)

// A Job is what Find needs of the rest of a crawl's state.
type Job interface {
	// Text returns the text of a kept page as it is read now; false where none is kept.
	Text(of dedup.Ref) (dedup.Text, bool, error)
}

// Find compares the pages that came since it was called last with all, until the context is
// cancelled, and returns how many pairs of a part and a whole it found. What was not compared
// stays for the next call.
func Find(ctx context.Context, s kv.Store, job Job) (found int, err error) {
	for ctx.Err() == nil {
		p, err := nextPass(ctx, s)
		if err != nil || len(p.pages) == 0 {
			return found, err
		}
		for from := uint64(1); from != 0 && ctx.Err() == nil; {
			var pairs []pair
			if pairs, from, err = p.compare(ctx, s, from); err != nil {
				return found, err
			}
			n, err := confirm(ctx, s, job, pairs)
			if found += n; err != nil {
				return found, err
			}
		}
		if ctx.Err() != nil {
			break
		}
		if err := s.Update(ctx, p.done); err != nil {
			return found, err
		}
	}
	return found, nil
}

// A pass has the pages that are compared with all.
type pass struct {
	pages  []uint64
	sizes  []int
	values []entry // sorted
}

// An entry is a value of the sample of the page at a place in pass.pages.
type entry struct {
	value uint32
	at    uint32
}

// A pair of pages may have a part in common.
type pair struct {
	a, b   uint64
	shared int
}

func nextPass(ctx context.Context, s kv.Store) (p pass, err error) {
	err = s.View(ctx, func(r kv.Reader) error {
		for e, err := range r.Scan(TablePending, nil, nil) {
			if err != nil || len(p.pages) == maxPages {
				return err
			}
			b, err := r.Get(TableSketches, e.Key)
			if err != nil {
				return err
			}
			sample, err := decodeSketch(b)
			if err != nil {
				return err
			}
			for _, v := range sample {
				p.values = append(p.values, entry{v, uint32(len(p.pages))})
			}
			p.pages, p.sizes = append(p.pages, page.Seq(e.Key)), append(p.sizes, len(sample))
		}
		return nil
	})
	slices.SortFunc(p.values, func(a, b entry) int { return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.at, b.at)) })
	return p, err
}

func (p *pass) done(tx kv.Tx) error {
	for _, seq := range p.pages {
		tx.Delete(TablePending, page.Key(seq))
	}
	return nil
}

// compare compares some pages with those of the pass, from a place on, and says where to
// continue; 0: there are no more.
func (p *pass) compare(ctx context.Context, s kv.Store, from uint64) (pairs []pair, next uint64, err error) {
	read := 0
	counts := make(map[uint32]int)
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
			sample, err := decodeSketch(e.Value)
			if err != nil {
				return err
			}
			pairs = append(pairs, p.meet(seq, sample, counts)...)
		}
		return nil
	})
	return pairs, next, err
}

// meet returns the pages of the pass that may have a part in common with one.
func (p *pass) meet(seq uint64, sample []uint32, counts map[uint32]int) (pairs []pair) {
	clear(counts)
	for _, v := range sample {
		i, _ := slices.BinarySearchFunc(p.values, v, func(e entry, v uint32) int { return cmp.Compare(e.value, v) })
		end := i
		for end < len(p.values) && p.values[end].value == v {
			end++
		}
		if end-i > maxPagesOf {
			continue
		}
		for ; i < end; i++ {
			counts[p.values[i].at]++
		}
	}
	for at, n := range counts {
		other := p.pages[at]
		_, both := slices.BinarySearch(p.pages, seq)
		if other == seq || both && other > seq || n < leastShared {
			continue // a pair of the pass is met once
		}
		if float64(n) >= leastEstimated*float64(min(len(sample), p.sizes[at])) {
			pairs = append(pairs, pair{seq, other, n})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(a.b, b.b)) })
	return pairs[:min(len(pairs), maxCandidates)]
}

// confirm compares the texts of pairs, and keeps what they have in common.
func confirm(ctx context.Context, s kv.Store, job Job, pairs []pair) (found int, err error) {
	type reading struct {
		text *dedup.Text // nil: none
	}
	texts := make(map[uint64]reading)
	text := func(seq uint64) (*dedup.Text, error) {
		if r, ok := texts[seq]; ok {
			return r.text, nil
		}
		if len(texts) >= maxTexts {
			clear(texts)
		}
		t, ok, err := job.Text(dedup.Ref(seq))
		if err != nil {
			return nil, err
		}
		r := reading{}
		if ok {
			r.text = &t
		}
		texts[seq] = r
		return r.text, nil
	}
	for _, p := range pairs {
		if ctx.Err() != nil {
			return found, nil
		}
		a, errA := text(p.a)
		b, errB := text(p.b)
		if err := errors.Join(errA, errB); err != nil {
			return found, err
		}
		if a == nil || b == nil || a.SaysLittle() || b.SaysLittle() {
			continue
		}
		ofA, ofB, both := dedup.Containment(a, b)
		part, whole, share, rest, in := p.a, p.b, ofA, ofB, a
		if ofB > ofA {
			part, whole, share, rest, in = p.b, p.a, ofB, ofA, b
		}
		if share < leastShare || both < leastBoth {
			continue
		}
		other := a
		if in == a {
			other = b
		}
		passages, inOne := dedup.Shared(in, other)
		if inOne < leastShare {
			continue // terms and phrases of one subject
		}
		err := s.Update(ctx, func(tx kv.Tx) error { return keep(tx, part, whole, share, rest, passages) })
		if err != nil {
			return found, err
		}
		found++
	}
	return found, nil
}

// keep keeps a part and its whole, unless one is forgotten by now.
func keep(tx kv.Tx, part, whole uint64, share, rest float64, passages []dedup.Passage) error {
	for _, seq := range []uint64{part, whole} {
		if known, err := kv.Has(tx, TableSketches, page.Key(seq)); err != nil || !known {
			return err
		}
	}
	if err := join(tx, part, shared{whole, true, share, rest, passages}); err != nil {
		return err
	}
	return join(tx, whole, shared{part, false, share, rest, passages})
}

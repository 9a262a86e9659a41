package parts

import (
	"container/list"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Limits of Find.
const (
	maxPagesOf    = 24      // pages that have a value: a value that more have is ignored
	maxCandidates = 16      // whose texts are read for one page, those with the most values
	maxText       = 2 << 20 // bytes of texts that are held in memory, each some eight times as large when it is ready to be compared
	maxCommit     = 1 << 10 // pairs that are kept in one commit, of some 700 bytes each
)

// The least that samples and texts must share.
const (
	leastShared    = 3   // values
	leastEstimated = 0.2 // share of the smaller sample
	leastShare     = 0.4 // share of the part's shingles that the whole has, and of its words in passages of some length
	leastBoth      = 40  // shingles: of some 40 words
)

// A Job is what Find needs of the rest of a crawl's state.
type Job interface {
	// PartText returns the text of a kept page as it is read now; nil if none is kept, or it says little. It is asked
	// for a page whose text is not recent.
	PartText(of dedup.Ref) (*dedup.PartText, error)
}

// Find compares the pages that came since it was called last with all, until the context is cancelled, and returns
// how many pairs of a part and a whole it found. If it was cancelled, the next call compares them again.
//
// It takes time in proportion to the number of all pages, or for few new pages a small part of that, some 5 bytes of
// memory a page besides buffers of 20 MB, and for a while a temporary file in dir with 8 bytes a value of the samples of all pages ("" is
// the system's folder for such files).
func Find(ctx context.Context, s kv.Store, dir string, job Job, recent *Recent) (found int, err error) {
	m := newMeeting(dir)
	defer func() { err = errors.Join(err, m.close()) }()
	if err := m.collect(ctx, s); err != nil || m.news == 0 || ctx.Err() != nil {
		return 0, err
	}
	last := newTexts(job, recent)
	err = m.each(ctx, func(pairs []pair) error {
		if pairs, err = sharing(ctx, s, pairs); err != nil {
			return err
		}
		n, err := confirm(ctx, s, last, pairs)
		found += n
		return err
	})
	if err != nil || ctx.Err() != nil {
		return found, err
	}
	return found, m.done(ctx, s)
}

// sharing returns the pairs whose samples may share enough.
func sharing(ctx context.Context, s kv.Store, pairs []pair) (left []pair, err error) {
	var of uint64
	var a, b []uint32
	err = s.View(ctx, func(r kv.Reader) error {
		for _, p := range pairs {
			var errA, errB error
			if p.a != of {
				of = p.a
				a, errA = sampleOf(r, p.a, a)
			}
			b, errB = sampleOf(r, p.b, b)
			if err := errors.Join(errA, errB); err != nil {
				return err
			}
			if mayShare(a, b) {
				left = append(left, p)
			}
		}
		return nil
	})
	return left, err
}

// sampleOf reads the sample of a page into the memory of another one.
func sampleOf(r kv.Reader, seq uint64, into []uint32) ([]uint32, error) {
	b, err := r.Get(TableSketches, page.Key(seq))
	if err != nil || b == nil {
		return into[:0], err
	}
	return decodeSketch(into[:0], b)
}

// mayShare reports whether texts with these samples may share leastShare of the smaller one. It
// returns false if less than one in a thousand such pairs would have samples with so few values in
// common. It knows more than meet, which ignores the values that many pages have.
func mayShare(a, b []uint32) bool {
	both, of := dedup.CompareSamples(a, b)
	n := float64(of)
	return float64(both) >= leastShare*n-deviations*math.Sqrt(leastShare*(1-leastShare)*n)
}

// deviations is how many standard deviations below leastShare samples may be.
const deviations = 3.1

// texts is a cache of the texts of pages, prepared for comparison.
type texts struct {
	job    Job
	recent *Recent
	known  map[uint64]*list.Element // *known
	order  *list.List               // the entries of known, the most recently used first
	bytes  int
}

func newTexts(job Job, recent *Recent) *texts {
	return &texts{job: job, recent: recent, known: make(map[uint64]*list.Element), order: list.New()}
}

// A known has a nil text if there is none, or it says little.
type known struct {
	seq  uint64
	text *dedup.PartText
}

func (t *texts) of(seq uint64) (*dedup.PartText, error) {
	if e, ok := t.known[seq]; ok {
		t.order.MoveToFront(e)
		return e.Value.(*known).text, nil
	}
	k := &known{seq: seq}
	var err error
	if k.text, err = t.read(seq); err != nil {
		return nil, err
	}
	t.bytes += k.bytes()
	for t.bytes > maxText && len(t.known) > 1 {
		t.drop()
	}
	t.known[seq] = t.order.PushFront(k)
	return k.text, nil
}

// read returns the text of a page as it is read now.
func (t *texts) read(seq uint64) (*dedup.PartText, error) {
	if text, err := t.recent.of(seq); err != nil || text != nil {
		return text, err
	}
	return t.job.PartText(dedup.Ref(seq))
}

// drop removes the least recently used text.
func (t *texts) drop() {
	k := t.order.Remove(t.order.Back()).(*known)
	t.bytes -= k.bytes()
	delete(t.known, k.seq)
}

// bytes is what a text counts in the cache. One that does not exist counts too.
func (k *known) bytes() int {
	if k.text == nil {
		return 64
	}
	return 64 + k.text.Bytes()
}

// A common is what two pages share.
type common struct {
	part, whole uint64
	share, rest float64
	passages    []dedup.Passage
}

// confirm compares the texts of pairs, and stores what they share. When it is cancelled, the next
// call finds the last pairs again.
func confirm(ctx context.Context, s kv.Store, texts *texts, pairs []pair) (found int, err error) {
	var list []common
	flush := func() error {
		err := s.Update(ctx, func(tx kv.Tx) error { return keep(tx, list) })
		if err == nil {
			found += len(list)
			list = list[:0]
		}
		return err
	}
	for _, p := range pairs {
		if ctx.Err() != nil {
			return found, nil
		}
		a, errA := texts.of(p.a)
		b, errB := texts.of(p.b)
		if err := errors.Join(errA, errB); err != nil {
			return found, err
		}
		if a == nil || b == nil {
			continue
		}
		ofA, ofB, both := dedup.Containment(a, b)
		c := common{part: p.a, whole: p.b, share: ofA, rest: ofB}
		if ofB > ofA {
			c, a, b = common{part: p.b, whole: p.a, share: ofB, rest: ofA}, b, a
		}
		if c.share < leastShare || both < leastBoth {
			continue
		}
		var inOne float64
		if c.passages, inOne = dedup.Shared(a, b); inOne < leastShare {
			continue // they share only terms and phrases of one subject
		}
		if list = append(list, c); len(list) == maxCommit {
			if err := flush(); err != nil {
				return found, err
			}
		}
	}
	if len(list) == 0 {
		return found, nil
	}
	return found, flush()
}

// keep stores parts and their wholes, except pairs with a page that was forgotten meanwhile. A row
// is read and written once for all its pairs.
func keep(tx kv.Tx, list []common) error {
	rows := make(map[uint64][]shared)
	for i := range list {
		c := &list[i]
		known := true
		for _, seq := range []uint64{c.part, c.whole} {
			if _, ok := rows[seq]; ok {
				continue
			}
			has, err := kv.Has(tx, TableSketches, page.Key(seq))
			if err != nil {
				return err
			}
			if known = known && has; !has {
				continue
			}
			if rows[seq], err = of(tx, seq); err != nil {
				return err
			}
		}
		if !known {
			continue
		}
		rows[c.part] = join(rows[c.part], shared{c.whole, true, c.share, c.rest, c.passages})
		rows[c.whole] = join(rows[c.whole], shared{c.part, false, c.share, c.rest, c.passages})
	}
	for _, seq := range slices.Sorted(maps.Keys(rows)) {
		put(tx, seq, rows[seq])
	}
	return nil
}

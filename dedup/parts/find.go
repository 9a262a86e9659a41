package parts

import (
	"cmp"
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
	maxPages      = 1 << 16 // pages that one pass compares with all others; an entry has no room for more
	maxValues     = 6 << 20 // values of the samples of a pass, 4 bytes each; more if one page has more
	maxRows       = 1 << 12 // rows that are read in one snapshot
	maxPagesOf    = 12      // pages of a pass with the same value: a value that more pages have is ignored
	maxCandidates = 16      // pages whose texts are read for one page: those that share most values
	maxText       = 2 << 20 // bytes of texts that are held in memory; each takes some eight times as much when it is prepared for comparison
	maxCommit     = 1 << 10 // pairs that are stored in one commit, of some 700 bytes each
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
	// Text returns the text of a kept page as it is read now; false if none is kept.
	Text(of dedup.Ref) (dedup.Text, bool, error)
}

// Find compares the pages that are new since the last call with all others, until the context is
// cancelled, and returns how many pairs of a part and a whole it found. The next call compares the
// rest.
func Find(ctx context.Context, s kv.Store, job Job) (found int, err error) {
	last := newTexts(job)
	var p pass // the passes use the same memory one after the other
	for ctx.Err() == nil {
		if err := p.take(ctx, s); err != nil || len(p.pages) == 0 {
			return found, err
		}
		for from := uint64(1); from != 0 && ctx.Err() == nil; {
			var pairs []pair
			if pairs, from, err = p.compare(ctx, s, from); err != nil {
				return found, err
			}
			n, err := confirm(ctx, s, last, pairs)
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

// A pass has the new pages that are compared with all pages.
type pass struct {
	pages  []uint64
	sizes  []int
	values []entry                  // sorted
	starts [1<<startBits + 1]uint32 // for each value of the first startBits bits, where its entries start

	// some is a Bloom filter with one hash: it has the bits of the values that two to maxPagesOf
	// pages of the pass have. Most values are of one page, or of many, and need not be looked up
	// for a page of the pass.
	some [1 << (someBits - 6)]uint64

	sample []uint32 // of the page that is compared now
	met    []uint32 // indexes in pages of the pages that share a value with it, one for each value
}

// startBits is how many first bits of a value select its place among the values of a pass. Values
// are parts of hashes, so at most some 100 start with the same bits.
const startBits = 16

func start(value uint32) uint32 { return value >> (32 - startBits) }

// someBits is how many last bits of a value select its bit in some, which then fits into a
// processor's cache.
const someBits = 20

// inSome returns where a value's bit is in some.
func inSome(value uint32) (word uint32, bit uint64) {
	return value >> 6 & (1<<(someBits-6) - 1), 1 << (value & 63)
}

func (p *pass) isOfSome(value uint32) bool {
	word, bit := inSome(value)
	return p.some[word]&bit != 0
}

// An entry is a value of a page's sample, without its first startBits bits, and the page's index in
// pass.pages, which is below maxPages. The value is in the high bits: entries with the same first
// bits are sorted by value, and entries of one value by page.
type entry uint32

func entryOf(value, at uint32) entry { return entry(value<<startBits | at) }

// value returns the value of an entry that starts with these bits.
func (e entry) value(start uint32) uint32 { return start<<(32-startBits) | uint32(e)>>startBits }

func (e entry) at() uint32 { return uint32(e) & (maxPages - 1) }

// A pair is two pages that may share a part.
type pair struct {
	a, b   uint64
	shared int
}

// take fills the pass with the next pages that were not compared, if there are any. It reads their
// samples twice, to know how many values there are before it allocates memory.
func (p *pass) take(ctx context.Context, s kv.Store) error {
	*p = pass{pages: p.pages[:0], sizes: p.sizes[:0], values: p.values[:0], sample: p.sample, met: p.met}
	err := s.View(ctx, func(r kv.Reader) error {
		values := 0
		for e, err := range r.Scan(TablePending, nil, nil) {
			if err != nil {
				return err
			}
			if err := p.read(r, page.Seq(e.Key)); err != nil {
				return err
			}
			if values += len(p.sample); len(p.pages) == maxPages || len(p.pages) > 0 && values > maxValues {
				break
			}
			p.pages, p.sizes = append(p.pages, page.Seq(e.Key)), append(p.sizes, len(p.sample))
			for _, v := range p.sample {
				p.starts[start(v)+1]++
			}
		}
		for i := range 1 << startBits {
			p.starts[i+1] += p.starts[i]
		}
		n := int(p.starts[1<<startBits])
		if cap(p.values) < n {
			p.values = make([]entry, n)
		}
		p.values = p.values[:n]
		next := p.starts // where the next entry with the same first bits goes
		for i, seq := range p.pages {
			if err := p.read(r, seq); err != nil {
				return err
			}
			for _, v := range p.sample {
				p.values[next[start(v)]] = entryOf(v, uint32(i))
				next[start(v)]++
			}
		}
		return nil
	})
	if err == nil {
		p.sort()
	}
	return err
}

// sort sorts the values, and notes which of them some pages have.
func (p *pass) sort() {
	for i := range uint32(1 << startBits) {
		list := p.values[p.starts[i]:p.starts[i+1]]
		slices.Sort(list)
		for n := 0; len(list) > 0; list = list[n:] {
			v := list[0].value(i)
			for n = 1; n < len(list) && list[n].value(i) == v; n++ {
			}
			if n > 1 && n <= maxPagesOf {
				word, bit := inSome(v)
				p.some[word] |= bit
			}
		}
	}
}

// read reads the sample of a page.
func (p *pass) read(r kv.Reader, seq uint64) error {
	b, err := r.Get(TableSketches, page.Key(seq))
	if err == nil {
		p.sample, err = decodeSketch(p.sample[:0], b)
	}
	return err
}

// having returns the entries of a value.
func (p *pass) having(value uint32) []entry {
	from := start(value)
	list := p.values[p.starts[from]:p.starts[from+1]]
	i, _ := slices.BinarySearch(list, entryOf(value, 0))
	end := i
	for end < len(list) && list[end].value(from) == value {
		end++
	}
	return list[i:end]
}

func (p *pass) done(tx kv.Tx) error {
	for _, seq := range p.pages {
		tx.Delete(TablePending, page.Key(seq))
	}
	return nil
}

// compare compares pages, from a sequence number on, with those of the pass, and returns where to
// continue; 0: there are no more.
func (p *pass) compare(ctx context.Context, s kv.Store, from uint64) (pairs []pair, next uint64, err error) {
	read := 0
	var other []uint32
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
			if p.sample, err = decodeSketch(p.sample[:0], e.Value); err != nil {
				return err
			}
			for _, met := range p.meet(seq) {
				b, err := r.Get(TableSketches, page.Key(met.b))
				if err == nil {
					other, err = decodeSketch(other[:0], b)
				}
				if err != nil {
					return err
				}
				if mayShare(p.sample, other) {
					pairs = append(pairs, met)
				}
			}
		}
		return nil
	})
	return pairs, next, err
}

// meet returns the pages of the pass that may share a part with the page whose sample was read.
func (p *pass) meet(seq uint64) (pairs []pair) {
	p.met = p.met[:0]
	_, both := slices.BinarySearch(p.pages, seq)
	for _, v := range p.sample {
		if both && !p.isOfSome(v) {
			continue
		}
		list := p.having(v)
		if len(list) > maxPagesOf {
			continue
		}
		for _, e := range list {
			p.met = append(p.met, e.at())
		}
	}
	if len(p.met) < leastShared {
		return nil
	}
	slices.Sort(p.met)
	for from, to := 0, 0; from < len(p.met); from = to {
		at := p.met[from]
		for to = from; to < len(p.met) && p.met[to] == at; to++ {
		}
		n, other := to-from, p.pages[at]
		if other == seq || both && other > seq || n < leastShared {
			continue // a pair within the pass is considered once
		}
		if float64(n) >= leastEstimated*float64(min(len(p.sample), p.sizes[at])) {
			pairs = append(pairs, pair{seq, other, n})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(a.b, b.b)) })
	return pairs[:min(len(pairs), maxCandidates)]
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
	job   Job
	known map[uint64]*list.Element // *known
	order *list.List               // the entries of known, the most recently used first
	bytes int
}

func newTexts(job Job) *texts {
	return &texts{job: job, known: make(map[uint64]*list.Element), order: list.New()}
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
	text, ok, err := t.job.Text(dedup.Ref(seq))
	if err != nil {
		return nil, err
	}
	if ok {
		k.text = text.ForParts()
	}
	t.bytes += k.bytes()
	for t.bytes > maxText && len(t.known) > 1 {
		t.drop()
	}
	t.known[seq] = t.order.PushFront(k)
	return k.text, nil
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

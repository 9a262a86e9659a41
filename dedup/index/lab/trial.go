package lab

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/index/internal/lanes"
	"gatecrawl.example/gatecrawl/splitmix"
)

// TrialOptions say what a Trial builds and asks.
type TrialOptions struct {
	// Size is the number of fingerprints, 1,000 to 4,000,000,000. They are generated
	// when they are needed, and not kept besides the index.
	Size int

	// Design is the design that is measured. Default DesignHalves.
	Design index.Design

	// Distance is k in bits, 0 to MaxDistance. Default 3. With each bit more
	// most designs answer several times slower.
	Distance int

	// Seed makes runs repeatable. Default 1.
	Seed uint64

	// Skewed makes fingerprints like those of an uneven web: three bits in eight
	// are set instead of one in two, and every second fingerprint is within
	// eight bits of one of Size/1,000 others. Default false: evenly spread.
	Skewed bool

	// Bare leaves the DocIDs out of Halves or Static: a hit then has its fingerprint alone.
	Bare bool

	// Queries is how many are asked one by one, and of the batch; 100 to
	// 10,000,000. Default 1,000,000. Half of them differ from a stored fingerprint in 0 to
	// Distance bits, and must be found; the others are random.
	Queries int
}

// DefaultTrialOptions returns the defaults that TrialOptions names, for 10
// million fingerprints.
func DefaultTrialOptions() TrialOptions {
	return TrialOptions{Size: 10_000_000, Design: index.DesignHalves, Distance: 3, Seed: 1, Queries: 1_000_000}
}

// Validate reports every fault at once.
func (o TrialOptions) Validate() error {
	var faults []error
	if o.Size < 1000 || o.Size > 4_000_000_000 {
		faults = append(faults, fmt.Errorf("size: want 1000 to 4000000000 fingerprints, got %d", o.Size))
	}
	if o.Queries < 100 || o.Queries > 10_000_000 {
		faults = append(faults, fmt.Errorf("queries: want 100 to 10000000, got %d", o.Queries))
	}
	if _, err := NewIndex(o.Design, o.Distance); err != nil {
		faults = append(faults, err)
	}
	if o.Bare && !o.halved() {
		faults = append(faults, fmt.Errorf("only %s and %s can do without DocIDs", index.DesignHalves, DesignStatic))
	}
	return errors.Join(faults...)
}

// halved reports whether the design is of two tables by halves.
func (o TrialOptions) halved() bool {
	return o.Design == index.DesignHalves || o.Design == DesignStatic
}

// perFingerprint is what building a design takes at most, in bytes: what
// BenchmarkIndex measured with a million evenly spread fingerprints, and where
// the fingerprints are packed 48 bytes for that. Skewed ones took half as much
// again at most: in halves they spill.
var perFingerprint = map[index.Design]int64{
	index.DesignHalves: 18, DesignStatic: 14, index.DesignBlocks: 52,
	DesignSorted4: 84, DesignSorted10: 122, DesignSorted16: 159, DesignSorted20: 185,
}

// Memory returns about how many bytes the trial takes at most. The options are
// valid.
func (o TrialOptions) Memory() int64 {
	each, n := perFingerprint[o.Design], int64(o.Size)
	if o.Bare {
		each -= 4
	}
	if o.Skewed {
		each += each / 2
	}
	waiting := int64(0)
	if o.halved() {
		waiting = lanes.EntryBytes * int64(lanes.BulkOf(o.Size))
	}
	return each*n + waiting + 64*int64(o.Queries)
}

// A Trial is what was measured. CPU is the time that the process had the
// processor, which other work of the machine changes less than the clock's.
type Trial struct {
	Bytes, KeyBytes int64 // of the index; KeyBytes without the DocIDs, 0 where they are not apart

	Build, BuildCPU time.Duration
	MakeCPU         time.Duration // of BuildCPU for making the fingerprints; measured apart
	Query, QueryCPU time.Duration // all Queries, one by one from one goroutine
	Batch, BatchCPU time.Duration // all Queries at once, on all processors
	Planted, Hits   int           // queries that had to find something; all that was found

	QueryP50, QueryP99 time.Duration
	ClaimP50, ClaimP99 time.Duration // a query, then an Insert
}

// inHalves are the designs that take many at once and can do without DocIDs.
type inHalves interface {
	InsertMany(n int, at func(i int) (fp uint64, doc index.DocID))
	KeyBytes() int64
}

var (
	_ inHalves = (*index.Halves)(nil)
	_ inHalves = (*Static)(nil)
)

// A trialIndex is an Index, or a peer of the trial.
type trialIndex interface {
	Near(fp uint64, k int, yield func(doc index.DocID, fp uint64, d int) bool)
}

// maker returns a function that returns the i-th fingerprint and its document.
func (o TrialOptions) maker() func(i int) (uint64, index.DocID) {
	seed, numbered := splitmix.Mix(o.Seed), ^index.DocID(0)
	if o.Bare {
		numbered = 0
	}
	if o.Skewed {
		return func(i int) (uint64, index.DocID) { return o.skewed(seed, i), index.DocID(i+1) & numbered }
	}
	return func(i int) (uint64, index.DocID) { return splitmix.Mix(seed + uint64(i)), index.DocID(i+1) & numbered }
}

func (o *TrialOptions) skewed(seed uint64, i int) uint64 {
	x := splitmix.Mix(seed + uint64(i))
	y := splitmix.Mix(x)
	if i%2 == 1 {
		x = splitmix.Mix(^seed + y%uint64(max(1, o.Size/1000)))
	}
	x &= splitmix.Mix(x+1) | splitmix.Mix(x+2) // three bits in eight
	if i%2 == 1 {
		for n := y >> 60 % 9; n > 0; n-- {
			y = splitmix.Mix(y)
			x ^= 1 << (y % 64)
		}
	}
	return x
}

// queries returns what is asked; those with an even number are planted.
func (o TrialOptions) queries() []uint64 {
	r := rand.New(rand.NewPCG(o.Seed, uint64(o.Size)))
	q, at := make([]uint64, o.Queries), o.maker()
	for i := range q {
		q[i] = r.Uint64()
		if i%2 == 0 {
			q[i], _ = at(r.IntN(o.Size))
			for range r.IntN(o.Distance + 1) {
				q[i] ^= 1 << r.IntN(64)
			}
		}
	}
	return q
}

// Run builds an index and asks it. An error says that the options are faulty, or
// that the index did not find what it must, which is a fault of this package.
func (o TrialOptions) Run() (t Trial, err error) {
	if err := o.Validate(); err != nil {
		return t, fmt.Errorf("trial: %w", err)
	}
	x, err := NewIndex(o.Design, o.Distance)
	if err != nil {
		return t, fmt.Errorf("trial: %w", err)
	}
	t.Build, t.BuildCPU = timed(func() { o.build(x) })
	t.MakeCPU = o.making()
	t.Bytes = x.Bytes()
	if h, ok := x.(inHalves); ok {
		t.KeyBytes = h.KeyBytes()
	}
	queries := o.queries()
	if err := t.ask(o, x, queries); err != nil {
		return t, err
	}
	hits := 0
	t.Batch, t.BatchCPU = timed(func() {
		x.NearBatch(queries, o.Distance, func(int, index.DocID, uint64, int) bool { hits++; return true })
	})
	if hits != t.Hits {
		return t, fmt.Errorf("trial: of %d queries a batch found %d fingerprints and single queries %d", o.Queries, hits, t.Hits)
	}
	t.claims(o, x)
	return t, nil
}

func (o TrialOptions) build(x index.Index) {
	at := o.maker()
	if h, ok := x.(inHalves); ok {
		h.InsertMany(o.Size, at)
		return
	}
	for i := range o.Size {
		x.Insert(at(i))
	}
	if s, ok := x.(*Sorted); ok {
		s.Pack()
	}
}

// making returns the time of generating the fingerprints as often as build asks for them,
// estimated from a sample of 4 million.
func (o TrialOptions) making() time.Duration {
	at, n, asks := o.maker(), min(o.Size, 1<<22), 1
	if o.halved() {
		asks = 1 + (2*o.Size+lanes.BulkOf(o.Size)-1)/lanes.BulkOf(o.Size) // to count them, then for each part
	}
	made := uint64(0)
	_, cpu := timed(func() {
		for i := range n {
			fp, doc := at(i)
			made ^= fp ^ uint64(doc)
		}
	})
	runtime.KeepAlive(made)
	return time.Duration(float64(cpu) * float64(asks) * float64(o.Size) / float64(n))
}

// ask runs the queries one by one. Single times are measured in a second round, so that the
// first is not slowed down by reading the clock.
func (t *Trial) ask(o TrialOptions, x trialIndex, queries []uint64) error {
	missed := 0
	t.Query, t.QueryCPU = timed(func() {
		for i, q := range queries {
			hits := 0
			x.Near(q, o.Distance, func(index.DocID, uint64, int) bool { hits++; return true })
			t.Hits += hits
			if i%2 == 0 {
				t.Planted++
				if hits == 0 {
					missed++
				}
			}
		}
	})
	if missed > 0 {
		return fmt.Errorf("trial: %d of %d planted fingerprints were not found", missed, t.Planted)
	}
	t.QueryP50, t.QueryP99 = percentiles(min(len(queries), 100_000), func(i int) {
		x.Near(queries[len(queries)-1-i], o.Distance, func(index.DocID, uint64, int) bool { return true })
	})
	return nil
}

// claims times what a claim asks of an index: a query and an Insert.
func (t *Trial) claims(o TrialOptions, x index.Index) {
	at := o.maker()
	t.ClaimP50, t.ClaimP99 = percentiles(min(o.Queries, 100_000), func(i int) {
		fp, doc := at(o.Size + i)
		x.Near(fp, o.Distance, func(index.DocID, uint64, int) bool { return true })
		x.Insert(fp, doc)
	})
}

func percentiles(n int, do func(i int)) (p50, p99 time.Duration) {
	took := make([]time.Duration, n)
	for i := range took {
		start := time.Now()
		do(i)
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took[n/2], took[n*99/100]
}

func timed(do func()) (clock, cpu time.Duration) {
	start, used := time.Now(), cputime.Used()
	do()
	return time.Since(start), cputime.Used() - used
}

// RunScan runs a few of the queries as a scan of at most sample fingerprints, and returns how
// many fingerprints there were.
func (o TrialOptions) RunScan(sample int) (Trial, int, error) {
	fps, at := make(Scan, min(o.Size, sample)), o.maker()
	for i := range fps {
		fps[i], _ = at(i)
	}
	o.Size, o.Queries = len(fps), 100
	t := Trial{Bytes: 8 * int64(len(fps))}
	return t, len(fps), t.ask(o, fps, o.queries())
}

// RunMaps builds what most libraries offer, 4 maps by 16 bits each, of at most sample
// fingerprints, and runs as many queries as for an index. It finds what is within 3 bits.
func (o TrialOptions) RunMaps(sample int) (t Trial, size int, err error) {
	o.Size, o.Distance, o.Queries = min(o.Size, sample), min(o.Distance, 3), min(o.Queries, 100_000)
	var x quarters
	at := o.maker()
	t.Build, t.BuildCPU = timed(func() {
		for i := range x {
			x[i] = make(map[uint16][]entry64)
		}
		for i := range o.Size {
			x.Insert(at(i))
		}
	})
	for _, m := range x {
		for _, bucket := range m {
			t.Bytes += 24 + 2 + 16*int64(cap(bucket))
		}
	}
	return t, o.Size, t.ask(o, &x, o.queries())
}

// A Scan is fingerprints that are looked at one after the other; the first is document 1.
type Scan []uint64

// Near calls yield for every fingerprint within k bits of fp.
func (p Scan) Near(fp uint64, k int, yield func(doc index.DocID, fp uint64, d int) bool) {
	for i, x := range p {
		if d := bits.OnesCount64(x ^ fp); d <= k && !yield(index.DocID(i+1), x, d) {
			return
		}
	}
}

// quarters are four maps by 16 bits each.
type quarters [4]map[uint16][]entry64

func (m *quarters) Insert(fp uint64, doc index.DocID) {
	for i := range m {
		key := uint16(fp >> (16 * i))
		m[i][key] = append(m[i][key], entry64{fp, doc})
	}
}

func (m *quarters) Near(fp uint64, k int, yield func(doc index.DocID, fp uint64, d int) bool) {
	seen := make(map[index.DocID]bool)
	for i := range m {
		for _, e := range m[i][uint16(fp>>(16*i))] {
			d := bits.OnesCount64(e.fp ^ fp)
			if d > k || seen[e.doc] {
				continue
			}
			seen[e.doc] = true
			if !yield(e.doc, e.fp, d) {
				return
			}
		}
	}
}

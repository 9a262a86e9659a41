package index

import (
	"math/bits"
	"slices"
	"sort"
	"sync/atomic"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/mmap"
)

// unread describes bytes of a run until they are checked.
type unread struct {
	data   []byte
	sum    uint32
	spilt  []byte // of a segment: where its spilt entries start in data
	file   string
	damage *damage

	trusted bool // the run was just written
}

func (u *unread) intact() bool {
	if u.trusted || durable.Sum(u.data) == u.sum {
		return true
	}
	u.damage.meet(u.file, "a checksum is wrong")
	return false
}

// shards are parts of a table that are checked when they are first read.
type shards struct {
	state  []atomic.Uint32 // shardUnread and so on
	file   string
	damage *damage

	trusted bool
}

const (
	shardUnread = iota
	shardIntact
	shardAltered
)

// intact reports whether the i-th part is undamaged. Two goroutines may check it at once.
func (s *shards) intact(i int, data func() []byte, sum uint32) bool {
	if s.trusted {
		return true
	}
	switch s.state[i].Load() {
	case shardIntact:
		return true
	case shardAltered:
		return false
	}
	u := unread{data: data(), sum: sum, file: s.file, damage: s.damage}
	if !u.intact() {
		s.state[i].Store(shardAltered)
		return false
	}
	s.state[i].Store(shardIntact)
	return true
}

// runHeads is a table of heads in a run. Of a head the first 48 bits are kept:
// what is found is a candidate, and the full digests decide. The data are
//
//	65,537 numbers of 4 bytes: how many rows have heads whose first 16 bits are
//	less than 0, 1, 2 and so on; 4 bytes of zero; 256 CRC-32C, one of the rows
//	of each first byte; so far the directory; then for each first byte
//	the next 32 bits of the heads, in rising order, and as many documents
//
// A bucket is searched from where an even spread would put the head: a digest
// is evenly spread, and a look-up reads about two cache lines of it.
type runHeads struct {
	n     int
	ends  []uint32
	sums  []uint32
	words []uint32
	parts shards
}

const (
	headBuckets  = 1 << 16
	headShards   = 1 << 8
	headDirBytes = 4 * (headBuckets + 2 + headShards)
)

func openHeads(r *run, b []byte, n int, sum uint32, d *damage) (t runHeads, ok bool) {
	if len(b) < headDirBytes+8*n || durable.Sum(b[:headDirBytes]) != sum {
		return t, false
	}
	dir := mmap.HalfWords(b[:headDirBytes])
	return runHeads{
		n: n, ends: dir[:headBuckets+1], sums: dir[headBuckets+2:], words: mmap.HalfWords(b[headDirBytes:][:8*n]),
		parts: shards{make([]atomic.Uint32, headShards), r.path, d, r.trusted},
	}, true
}

// shard returns the rows of a first byte.
func (t *runHeads) shard(i int) (rests, docs []uint32, ok bool) {
	from, to := t.ends[i<<8], t.ends[(i+1)<<8]
	part := t.words[2*int(from) : 2*int(to)]
	if !t.parts.intact(i, func() []byte { return bytesOf(part) }, t.sums[i]) {
		return nil, nil, false
	}
	n := int(to - from)
	return part[:n], part[n:], true
}

func (t *runHeads) check() {
	for i := range headShards {
		t.shard(i)
	}
}

// bucket returns the rows of a head's first 16 bits.
func (t *runHeads) bucket(prefix int) (rests, docs []uint32) {
	from, to := int(t.ends[prefix]), int(t.ends[prefix+1])
	if from == to {
		return nil, nil
	}
	rests, docs, ok := t.shard(prefix >> 8)
	if !ok {
		return nil, nil
	}
	base := int(t.ends[prefix>>8<<8])
	return rests[from-base : to-base], docs[from-base : to-base]
}

// find calls yield for every document with that head until it returns false.
func (t *runHeads) find(head uint64, yield func(doc DocID) bool) {
	rests, docs := t.bucket(int(head >> 48))
	rest := uint32(head >> 16)
	for i := lowerBound(rests, rest); i < len(rests) && rests[i] == rest; i++ {
		if !yield(DocID(docs[i])) {
			return
		}
	}
}

// lowerBound returns the place of the first number that is at least x. It starts where an even
// distribution would put x, and goes on in doubling steps.
func lowerBound(s []uint32, x uint32) int {
	lo, hi := 0, len(s)
	at, step := int(uint64(x)*uint64(len(s))>>32), 8
	for lo < hi && at < hi {
		if s[at] < x {
			lo = at + 1
			at, step = lo+step, 2*step
			continue
		}
		hi = at
		if at == lo {
			break
		}
		at, step = max(lo, hi-step), 2*step
		if s[at] < x {
			lo = at + 1
			break
		}
	}
	return lo + sort.Search(hi-lo, func(i int) bool { return s[lo+i] >= x })
}

// headTable writes one table of heads and returns its number of rows.
func (w *runWriter) headTable(t HeadTable) (n int, err error) {
	if err := w.align(); err != nil {
		return 0, err
	}
	at := w.at
	start := make([]byte, headDirBytes)
	if err := w.put(start); err != nil {
		return 0, err
	}
	ends, sums := make([]uint32, headBuckets+2), make([]uint32, headShards)
	inMemory, memEnds := w.mem.rowsByPrefix(t)
	taken := uint32(0)
	var rows []uint64
	var rests, docs []uint32
	for prefix := range headBuckets {
		rows = rows[:0]
		for _, r := range w.runs {
			rests, docs := r.heads[t].bucket(prefix)
			for i := range rests {
				rows = append(rows, uint64(rests[i])<<32|uint64(docs[i]))
			}
		}
		rows = append(rows, inMemory[taken:memEnds[prefix]]...)
		taken = memEnds[prefix]
		slices.Sort(rows)
		if t == bandHeads {
			rows = firstMet(rows)
		}
		for _, r := range rows {
			rests, docs = append(rests, uint32(r>>32)), append(docs, uint32(r))
		}
		n += len(rows)
		ends[prefix+1] = uint32(n)
		if prefix%headShards != headShards-1 {
			continue
		}
		if err := w.stopped(); err != nil {
			return 0, err
		}
		i := prefix / headShards
		sums[i] = durable.Update(durable.Sum(bytesOf(rests)), bytesOf(docs))
		if err := w.put(bytesOf(rests)); err != nil {
			return 0, err
		}
		if err := w.put(bytesOf(docs)); err != nil {
			return 0, err
		}
		rests, docs = rests[:0], docs[:0]
	}
	dir := append(slices.Clone(bytesOf(ends)), bytesOf(sums)...)
	w.extra(int(t), at, n, durable.Sum(dir))
	return n, w.patch(dir, at)
}

// patch overwrites what was written at an offset.
func (w *runWriter) patch(b []byte, at int64) error {
	if err := w.w.Flush(); err != nil {
		return err
	}
	_, err := w.file.WriteAt(b, at)
	return err
}

// firstMet keeps only the first MaxMeet of the sorted rows of each band.
func firstMet(rows []uint64) []uint64 {
	left, met := rows[:0], 0
	for i, r := range rows {
		if i == 0 || r>>32 != left[len(left)-1]>>32 {
			met = 0
		}
		if met++; met <= MaxMeet {
			left = append(left, r)
		}
	}
	return left
}

// rowsByPrefix returns the rows of a table, each the next 32 bits of a head and the document,
// grouped by the first 16 bits, and where each group ends. A nil memory has no rows.
func (m *memory) rowsByPrefix(t HeadTable) (rows []uint64, ends []uint32) {
	ends = make([]uint32, headBuckets+1)
	if m == nil {
		return nil, ends[1:]
	}
	m.eachHead(t, func(head uint64, _ DocID) { ends[head>>48+1]++ })
	for i := range headBuckets {
		ends[i+1] += ends[i]
	}
	rows = make([]uint64, ends[headBuckets])
	m.eachHead(t, func(head uint64, doc DocID) {
		at := &ends[head>>48]
		rows[*at] = head>>16<<32 | uint64(doc)
		*at++ // while rows are written, where the group's next one goes
	})
	return rows, ends[:headBuckets]
}

// eachHead calls yield for all rows of a table.
func (m *memory) eachHead(t HeadTable, yield func(head uint64, doc DocID)) {
	if t == bandHeads {
		for i := range m.bands.shards {
			for _, p := range m.bands.shards[i].slots {
				if p.doc != 0 {
					yield(uint64(p.key)<<32, p.doc)
				}
			}
		}
		return
	}
	for i := range m.heads[t].shards {
		for _, p := range m.heads[t].shards[i].slots {
			if p.doc != 0 {
				yield(uint64(p.hi)<<32|uint64(p.lo), p.doc)
			}
		}
	}
}

// runOutlines are the outlines in a run. The data are
//
//	a bit for each document of the run, the lowest bit of a word first: it has an
//	outline
//	4 bytes for each 512 of these: how many have one before them
//	4 bytes for each 65,536 outlines: their CRC-32C
//	as many zeros as make a multiple of eight; so far the directory
//	the outlines
type runOutlines struct {
	from  DocID
	n     int
	set   []uint64
	ranks []uint32
	sums  []uint32
	all   []byte
	parts shards
}

const (
	rankWords     = 8
	outlinesShard = 1 << 16
)

// outlineDir returns the sizes of the directory's parts, and of the whole, in
// bytes.
func outlineDir(s runSpan, n int) (set, ranks, sums, all int) {
	words := (int(s.to-s.from) + 63) / 64
	set, ranks, sums = 8*words, 4*((words+rankWords-1)/rankWords), 4*((n+outlinesShard-1)/outlinesShard)
	return set, ranks, sums, (set + ranks + sums + 7) &^ 7
}

func openOutlines(r *run, b []byte, n int, sum uint32, d *damage) (t runOutlines, ok bool) {
	set, ranks, sums, dir := outlineDir(r.runSpan, n)
	if len(b) < dir+n*OutlineSize || durable.Sum(b[:dir]) != sum {
		return t, false
	}
	return runOutlines{
		from: r.from, n: n,
		set: mmap.Words(b[:set]), ranks: mmap.HalfWords(b[set:][:ranks]), sums: mmap.HalfWords(b[set+ranks:][:sums]),
		all:   b[dir:][:n*OutlineSize],
		parts: shards{make([]atomic.Uint32, sums/4), r.path, d, r.trusted},
	}, true
}

// shard returns the i-th 65,536 outlines.
func (t *runOutlines) shard(i int) (all []byte, ok bool) {
	all = t.all[i*outlinesShard*OutlineSize:]
	all = all[:min(len(all), outlinesShard*OutlineSize)]
	return all, t.parts.intact(i, func() []byte { return all }, t.sums[i])
}

func (t *runOutlines) check() {
	for i := range t.sums {
		t.shard(i)
	}
}

// at returns the outline of a document of the run.
func (t *runOutlines) at(doc DocID) (Outline, bool) {
	i := int(doc - t.from - 1)
	word := t.set[i/64]
	if word>>(i%64)&1 == 0 {
		return Outline{}, false
	}
	place := int(t.ranks[i/64/rankWords]) + bits.OnesCount64(word&(1<<(i%64)-1))
	for _, w := range t.set[i/64/rankWords*rankWords : i/64] {
		place += bits.OnesCount64(w)
	}
	all, ok := t.shard(place / outlinesShard)
	if !ok {
		return Outline{}, false
	}
	return Outline(all[place%outlinesShard*OutlineSize:][:OutlineSize]), true
}

// outlines writes the outlines of all documents.
func (w *runWriter) outlines() error {
	if err := w.align(); err != nil {
		return err
	}
	at, n := w.at, 0
	for _, r := range w.runs {
		n += r.known.n
	}
	if w.mem != nil {
		w.mem.known.all(func(DocID, Outline) { n++ })
	}
	setBytes, rankBytes, sumBytes, dirBytes := outlineDir(w.span, n)
	set, sums := make([]uint64, setBytes/8), make([]uint32, sumBytes/4)
	if err := w.put(make([]byte, dirBytes)); err != nil {
		return err
	}
	i := 0
	var fault error
	add := func(doc DocID, packed []byte) {
		bit := doc - w.span.from - 1
		set[bit/64] |= 1 << (bit % 64)
		sums[i/outlinesShard] = durable.Update(sums[i/outlinesShard], packed)
		if err := w.put(packed); err != nil && fault == nil {
			fault = err
		}
		i++
	}
	for _, r := range w.runs {
		if err := r.known.each(add, w.stopped); err != nil {
			return err
		}
	}
	if w.mem != nil {
		w.mem.known.all(func(doc DocID, o Outline) {
			add(doc, o[:])
		})
	}
	if fault != nil {
		return fault
	}
	ranks, before := make([]uint32, rankBytes/4), 0
	for i, word := range set {
		if i%rankWords == 0 {
			ranks[i/rankWords] = uint32(before)
		}
		before += bits.OnesCount64(word)
	}
	dir := append(slices.Clone(bytesOf(set)), bytesOf(ranks)...)
	dir = append(dir, bytesOf(sums)...)
	dir = append(dir, make([]byte, dirBytes-len(dir))...)
	w.extra(HeadTables, at, n, durable.Sum(dir))
	return w.patch(dir, at)
}

// each calls yield for every outline in the order of the documents.
func (t *runOutlines) each(yield func(doc DocID, packed []byte), stopped func() error) error {
	place := 0
	for i, word := range t.set {
		for ; word != 0; word &= word - 1 {
			if place%outlinesShard == 0 {
				if err := stopped(); err != nil {
					return err
				}
			}
			all, ok := t.shard(place / outlinesShard)
			if !ok {
				return t.parts.damage.found()
			}
			doc := t.from + 1 + DocID(i*64+bits.TrailingZeros64(word))
			yield(doc, all[place%outlinesShard*OutlineSize:][:OutlineSize])
			place++
		}
	}
	return nil
}

package index

import (
	"encoding/binary"
	"math/bits"
)

// An Index finds the fingerprints near a query. The indexes of this package are exact: they report
// all that a scan would. Unless its type says otherwise, Insert must not be called at the same time
// as any other method.
type Index interface {
	// Insert adds a fingerprint. The same pair may be added again; it is then reported twice.
	Insert(fp uint64, doc DocID)

	// Near calls yield for every fingerprint within k bits of fp, in no
	// particular order, until yield returns false.
	Near(fp uint64, k int, yield func(doc DocID, fp uint64, d int) bool)

	// NearBatch is Near for many queries, each identified by its place in fps. It calls yield from
	// one goroutine until yield returns false.
	NearBatch(fps []uint64, k int, yield func(query int, doc DocID, fp uint64, d int) bool)

	// Len returns the number of fingerprints.
	Len() int

	// Bytes returns the memory that the index takes, DocIDs and slack
	// included.
	Bytes() int64

	// Design returns how the index is built.
	Design() Design
}

var _ Index = (*Tables)(nil)

// Tables are an Index after Manku, Jain and Das Sarma (2007), section 3: the 64
// bits are cut into k+1 blocks, and two fingerprints that differ in at most k
// bits agree in one block at least. For each block there is a table whose
// buckets hold the fingerprints that agree in it.
//
// Their tables are sorted and static. These are arrays of buckets that grow, so
// that a crawl can insert as it goes. A bucket leaves out the bits that its
// number says and packs the rest with the DocID: with k = 3, four tables of
// 65,536 buckets and 10 bytes an entry, 40 bytes a fingerprint before the slack
// of the buckets. BenchmarkTables measures both.
//
// A query reads N/16,384 entries in four runs when the fingerprints are evenly
// spread. When they are not, it reads more and stays exact: with all in one
// bucket it is a scan.
type Tables struct {
	blocks []block
	n      int
}

// A block is one of the k+1 parts of a fingerprint, and the table keyed by it.
type block struct {
	mask    uint64   // the block's bits in a fingerprint
	turn    int      // how far to rotate a fingerprint left to bring the block to the top
	width   int      // leading bits of the block that number the bucket
	most    int      // the largest width
	stride  int      // bytes an entry takes: the rest of the bits, then the DocID
	buckets [][]byte // nil: no entries yet
}

// A table has 2^fewBucketBits buckets until it has manyEntries, and 2^maxBucketBits from then on,
// which take 1.5 MB when they are empty. A job of a few pages, and the index of revised documents,
// do without them. Even more buckets would pay off only from 10 million fingerprints on.
const (
	fewBucketBits = 8
	maxBucketBits = 16
	manyEntries   = 1 << 12
)

const docBytes = 4

// NewTables returns an empty index for distances up to k, 0 to MaxDistance.
func NewTables(k int) *Tables {
	k = min(max(k, 0), MaxDistance)
	t := &Tables{blocks: make([]block, k+1)}
	end := 64
	for i := range t.blocks {
		size := end / (len(t.blocks) - i)
		end -= size
		b := &t.blocks[i]
		b.mask = (1<<size - 1) << end
		if size == 64 {
			b.mask = ^uint64(0)
		}
		b.turn = 64 - end - size
		b.most = min(size, maxBucketBits)
		b.setWidth(min(size, fewBucketBits))
	}
	return t
}

// setWidth makes an empty table of a block.
func (b *block) setWidth(width int) {
	b.width, b.stride, b.buckets = width, (64-width+7)/8+docBytes, nil
}

// widen gives a table its largest number of buckets.
func (b *block) widen() {
	few := *b
	b.setWidth(b.most)
	for i, s := range few.buckets {
		for ; len(s) >= few.stride; s = s[few.stride:] {
			b.add(few.turned(i, s), DocID(binary.LittleEndian.Uint32(s[few.stride-docBytes:])))
		}
	}
}

// turned returns the fingerprint of the first entry of a bucket, with the block at the top.
func (b *block) turned(bucket int, s []byte) uint64 {
	return binary.LittleEndian.Uint64(s)&b.restMask() | uint64(bucket)<<(64-b.width)
}

// Len returns the number of fingerprints.
func (t *Tables) Len() int { return t.n }

// Design returns DesignBlocks.
func (t *Tables) Design() Design { return DesignBlocks }

// Bytes returns the memory that the tables take.
func (t *Tables) Bytes() (n int64) {
	for i := range t.blocks {
		n += 24 * int64(len(t.blocks[i].buckets))
		for _, s := range t.blocks[i].buckets {
			n += int64(cap(s))
		}
	}
	return n
}

// NearBatch answers many queries; see Index.
func (t *Tables) NearBatch(fps []uint64, k int, yield func(query int, doc DocID, fp uint64, d int) bool) {
	NearBatch(t, fps, k, yield)
}

// Insert adds a fingerprint.
func (t *Tables) Insert(fp uint64, doc DocID) {
	for i := range t.blocks {
		b := &t.blocks[i]
		if t.n == manyEntries && b.width < b.most {
			b.widen()
		}
		b.add(bits.RotateLeft64(fp, b.turn), doc)
	}
	t.n++
}

// add adds a fingerprint that is turned so that the block is at the top.
func (b *block) add(r uint64, doc DocID) {
	if b.buckets == nil {
		b.buckets = make([][]byte, 1<<b.width)
	}
	bucket := &b.buckets[r>>(64-b.width)]
	s := *bucket
	if len(s)+b.stride > cap(s) {
		s = grow(s, b.stride)
	}
	at := len(s)
	s = s[:at+b.stride]
	// The rest has no more bits than the bytes before the DocID, which overwrites nothing of it.
	var entry [8 + docBytes]byte
	binary.LittleEndian.PutUint64(entry[:], r&b.restMask())
	binary.LittleEndian.PutUint32(entry[b.stride-docBytes:], uint32(doc))
	copy(s[at:], entry[:b.stride])
	*bucket = s
}

// grow makes room for a quarter more entries, and for at least two: append's doubling would leave a
// third of the tables empty.
func grow(s []byte, stride int) []byte {
	n := len(s) / stride
	g := make([]byte, len(s), (n+max(2, n/4))*stride)
	copy(g, s)
	return g
}

func (b *block) restMask() uint64 { return 1<<(64-b.width) - 1 }

// Near calls yield for every fingerprint within k bits of fp. A k above the one
// that the tables were made for is answered by a scan.
func (t *Tables) Near(fp uint64, k int, yield func(doc DocID, fp uint64, d int) bool) {
	if k >= len(t.blocks) {
		t.scan(fp, k, yield)
		return
	}
	for i := range t.blocks {
		if !t.near(i, fp, k, yield) {
			return
		}
	}
}

// near reports what the i-th table finds and no earlier one does, and whether to go on.
func (t *Tables) near(i int, fp uint64, k int, yield func(doc DocID, fp uint64, d int) bool) bool {
	b := &t.blocks[i]
	if b.buckets == nil {
		return true
	}
	r := bits.RotateLeft64(fp, b.turn)
	s, rest, mask := b.buckets[r>>(64-b.width)], r&b.restMask(), b.restMask()
	for ; len(s) >= b.stride; s = s[b.stride:] {
		x := (binary.LittleEndian.Uint64(s) & mask) ^ rest
		d := bits.OnesCount64(x)
		if d > k {
			continue
		}
		x = bits.RotateLeft64(x, -b.turn)
		if !t.firstAt(i, x) {
			continue
		}
		if !yield(DocID(binary.LittleEndian.Uint32(s[b.stride-docBytes:])), fp^x, d) {
			return false
		}
	}
	return true
}

// firstAt reports whether the i-th block is the first one in which two fingerprints with the
// difference x agree.
func (t *Tables) firstAt(i int, x uint64) bool {
	for j := range i {
		if x&t.blocks[j].mask == 0 {
			return false
		}
	}
	return x&t.blocks[i].mask == 0
}

// scan reads one table from end to end.
func (t *Tables) scan(fp uint64, k int, yield func(doc DocID, fp uint64, d int) bool) {
	b := &t.blocks[0]
	for i, s := range b.buckets {
		for ; len(s) >= b.stride; s = s[b.stride:] {
			got := bits.RotateLeft64(b.turned(i, s), -b.turn)
			d := bits.OnesCount64(got ^ fp)
			if d <= k && !yield(DocID(binary.LittleEndian.Uint32(s[b.stride-docBytes:])), got, d) {
				return
			}
		}
	}
}

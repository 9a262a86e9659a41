package forest

import (
	"encoding/binary"

	"gatecrawl.example/gatecrawl/purify/internal/reuse"
)

// A Forest is a sum of oblivious trees: all nodes of one level of a tree ask
// the same question, so that a tree is an index into its leaves (Kohavi 1994;
// Prokhorenkova et al. 2018). It is walked without branches, and it sums whole
// numbers, so that its answer is the same on every machine.
//
// It is exported, as Specimen is, for cmd/train-purify.
type Forest struct {
	Depth  int     // questions of a tree
	Base   int32   // the sum of a forest without trees
	Splits []Split // Depth of each tree, one tree after the other
	Leaves []int16 // 1<<Depth of each tree, in units of 1/Logit
}

// A Split asks whether a column's value is From or more.
type Split struct {
	Column uint16
	From   uint8
}

// Logit is one in the sums of a Forest.
const Logit = 1024

// The depths of the forests that score blocks and pages: scorePlain, its likes for
// AVX-512 and AVX2, and scorePage are written out for them.
const (
	blockDepth = 6
	pageDepth  = 3
)

// A Table holds the features of many rows, a column after the other. No value
// is above maxValue.
type Table struct {
	rows   int
	stride int // rows, rounded up to whole lanes
	data   []uint8
}

const (
	wordRows = 8    // rows whose values are one word
	laneRows = 32   // rows that AVX-512 and AVX2 score at once
	maxValue = 0x7f // so that the top bit of a value is free for an answer
)

// The bytes of a word, one for each row: their lowest and their highest bits.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

func (t *Table) Resize(rows, columns int) {
	t.rows, t.stride = rows, strideOf(rows)
	t.data = reuse.Slice(t.data, t.stride*columns)
}

// strideOf returns the rows rounded up to whole lanes. A row is written into one column after the other. If
// the columns of a long table started at multiples of a power of two, such as those of a page with as many blocks as
// are read, these places would share a few lines of the caches.
func strideOf(rows int) int {
	const least, even, line = 1 << 10, 1 << 8, 1 << 6
	stride := (rows + laneRows - 1) / laneRows * laneRows
	if stride >= least && stride%even == 0 {
		stride += line
	}
	return stride
}

// ClearFrom sets the columns from one on to zero.
func (t *Table) ClearFrom(column int) { clear(t.data[column*t.stride:]) }

// Capacity returns the size of the table's memory, in bytes.
func (t *Table) Capacity() int { return cap(t.data) }

func (t *Table) Column(j int) []uint8 { return t.data[j*t.stride:][:t.rows] }

// words is a column with the rows that fill its last lane up.
func (t *Table) words(j uint16) []uint8 { return t.data[int(j)*t.stride:][:t.stride] }

func (t *Table) Set(column, row, value int) { t.data[column*t.stride+row] = uint8(value) }

func (t *Table) Flag(column, row int, on bool) {
	if on {
		t.data[column*t.stride+row] = 1
	}
}

// atLeast answers a split for the wordRows rows of a word, each in the highest
// bit of its byte.
func atLeast(rows []uint8, from uint64) uint64 {
	return (binary.LittleEndian.Uint64(rows) | highBits) - from
}

// scorePlain is scoreAll for any machine. It walks wordRows rows at a time: no
// answer borrows from the next row's byte, since a value with its highest bit set
// is never less than From.
func (f *Forest) scorePlain(t *Table, sums []int32) {
	for i := range sums {
		sums[i] = f.Base
	}
	leaves := f.Leaves
	for splits := f.Splits; len(splits) >= blockDepth; splits = splits[blockDepth:] {
		tree := (*[1 << blockDepth]int16)(leaves)
		leaves = leaves[1<<blockDepth:]
		var columns [blockDepth][]uint8
		var from [blockDepth]uint64
		for k, s := range splits[:blockDepth] {
			columns[k], from[k] = t.words(s.Column), uint64(s.From)*lowBits
		}
		a, b, c, d, e, g := columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]
		for i := 0; i < len(sums); i += wordRows {
			found := atLeast(a[i:], from[0])&highBits>>7 | atLeast(b[i:], from[1])&highBits>>6 |
				atLeast(c[i:], from[2])&highBits>>5 | atLeast(d[i:], from[3])&highBits>>4 |
				atLeast(e[i:], from[4])&highBits>>3 | atLeast(g[i:], from[5])&highBits>>2
			if rest := sums[i:]; len(rest) >= wordRows {
				s := (*[wordRows]int32)(rest)
				s[0] += int32(tree[found&(1<<blockDepth-1)])
				s[1] += int32(tree[found>>8&(1<<blockDepth-1)])
				s[2] += int32(tree[found>>16&(1<<blockDepth-1)])
				s[3] += int32(tree[found>>24&(1<<blockDepth-1)])
				s[4] += int32(tree[found>>32&(1<<blockDepth-1)])
				s[5] += int32(tree[found>>40&(1<<blockDepth-1)])
				s[6] += int32(tree[found>>48&(1<<blockDepth-1)])
				s[7] += int32(tree[found>>56])
				continue
			}
			for j := i; j < len(sums); j++ {
				sums[j] += int32(tree[found&(1<<blockDepth-1)])
				found >>= 8
			}
		}
	}
}

// Score returns the sum of one row.
func (f *Forest) Score(row []uint8) int32 {
	if f.Depth == pageDepth {
		return f.scorePage(row)
	}
	sum := f.Base
	leaves := f.Leaves
	for splits := f.Splits; len(splits) > 0; splits = splits[f.Depth:] {
		leaf := 0
		for level, s := range splits[:f.Depth] {
			if row[s.Column] >= s.From {
				leaf |= 1 << level
			}
		}
		sum += int32(leaves[leaf])
		leaves = leaves[1<<f.Depth:]
	}
	return sum
}

// scorePage is Score for a forest that is pageDepth deep. It has no branches that depend on the
// page.
func (f *Forest) scorePage(row []uint8) int32 {
	sum := f.Base
	leaves := f.Leaves
	for splits := f.Splits; len(splits) >= pageDepth; splits = splits[pageDepth:] {
		tree := (*[1 << pageDepth]int16)(leaves)
		leaves = leaves[1<<pageDepth:]
		leaf := splits[0].ask(row) | splits[1].ask(row)<<1 | splits[2].ask(row)<<2
		sum += int32(tree[leaf&(1<<pageDepth-1)])
	}
	return sum
}

// ask returns 1 where a row's value is From or more: the sign of From-1-value.
func (s Split) ask(row []uint8) uint32 {
	return (uint32(s.From) - 1 - uint32(row[s.Column])) >> 31
}

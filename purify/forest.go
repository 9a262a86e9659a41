package purify

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

// blockDepth is the depth of the forests that score blocks: scoreAll is written
// out for it.
const blockDepth = 6

// A table holds the features of many rows, a column after the other.
type table struct {
	rows int
	data []uint8
}

func (t *table) resize(rows, columns int) {
	t.rows = rows
	t.data = zeroed(t.data, rows*columns)
}

func (t *table) column(j int) []uint8 { return t.data[j*t.rows : (j+1)*t.rows] }

func (t *table) set(column, row, value int) { t.data[column*t.rows+row] = uint8(value) }

func (t *table) flag(column, row int, on bool) {
	if on {
		t.data[column*t.rows+row] = 1
	}
}

// scoreAll sets the sums of all rows of a table. The forest is blockDepth deep.
func (f *Forest) scoreAll(t *table, sums []int32) {
	for i := range sums {
		sums[i] = f.Base
	}
	leaves := f.Leaves
	for splits := f.Splits; len(splits) >= blockDepth; splits = splits[blockDepth:] {
		tree := leaves[: 1<<blockDepth : 1<<blockDepth]
		leaves = leaves[1<<blockDepth:]
		a, b, c := t.column(int(splits[0].Column)), t.column(int(splits[1].Column)), t.column(int(splits[2].Column))
		d, e, g := t.column(int(splits[3].Column)), t.column(int(splits[4].Column)), t.column(int(splits[5].Column))
		a, b, c, d, e, g = a[:len(sums)], b[:len(sums)], c[:len(sums)], d[:len(sums)], e[:len(sums)], g[:len(sums)]
		// The sign of From-1-value is the answer.
		a0, b0, c0 := uint32(splits[0].From)-1, uint32(splits[1].From)-1, uint32(splits[2].From)-1
		d0, e0, g0 := uint32(splits[3].From)-1, uint32(splits[4].From)-1, uint32(splits[5].From)-1
		for i := range sums {
			leaf := (a0-uint32(a[i]))>>31 | (b0-uint32(b[i]))>>31<<1 | (c0-uint32(c[i]))>>31<<2 |
				(d0-uint32(d[i]))>>31<<3 | (e0-uint32(e[i]))>>31<<4 | (g0-uint32(g[i]))>>31<<5
			sums[i] += int32(tree[leaf&(1<<blockDepth-1)])
		}
	}
}

// Score returns the sum of one row.
func (f *Forest) Score(row []uint8) int32 {
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

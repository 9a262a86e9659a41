package purify

// A Forest is a sum of oblivious trees: all nodes of one level of a tree ask
// the same question, so that a tree is an index into its leaves (Kohavi 1994;
// Prokhorenkova et al. 2018). It sums whole numbers, so that its answer is the
// same on every machine.
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

//go:build !amd64

package forest

// ScoreAll sets the sums of all rows of a table: Score of each. The forest is blockDepth deep.
func (f *Forest) ScoreAll(t *Table, sums []int32) { f.scorePlain(t, sums) }

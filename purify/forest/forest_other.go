//go:build !amd64

package forest

// scoreAll sets the sums of all rows of a table. The forest is blockDepth deep.
func (f *Forest) scoreAll(t *table, sums []int32) { f.scorePlain(t, sums) }

package forest

import "golang.org/x/sys/cpu"

// The scoreLanes functions add the leaves of laneRows rows to their sums.

//go:noescape
func scoreLanesAVX512(data *uint8, stride int, splits *Split, leaves *int16, trees int, sums *int32)

//go:noescape
func scoreLanesAVX2(data *uint8, stride int, splits *Split, leaves *int16, trees int, sums *int32)

var (
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL
	hasAVX2   = cpu.X86.HasAVX2
)

// ScoreAll sets the sums of all rows of a table, which has all columns that the
// forest asks for. The forest is blockDepth deep.
func (f *Forest) ScoreAll(t *Table, sums []int32) {
	if !hasAVX2 && !hasAVX512 {
		f.scorePlain(t, sums)
		return
	}
	var lanes [laneRows]int32
	trees := len(f.Splits) / blockDepth
	for i := 0; i < len(sums); i += laneRows {
		for j := range lanes {
			lanes[j] = f.Base
		}
		if hasAVX512 {
			scoreLanesAVX512(&t.data[i], t.stride, &f.Splits[0], &f.Leaves[0], trees, &lanes[0])
		} else {
			scoreLanesAVX2(&t.data[i], t.stride, &f.Splits[0], &f.Leaves[0], trees, &lanes[0])
		}
		copy(sums[i:], lanes[:])
	}
}

package forest

import "golang.org/x/sys/cpu"

//go:noescape
func scoreLanesAVX512(data *uint8, stride int, splits *Split, leaves *int16, trees int, sums *int32)

var hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL

// ScoreAll sets the sums of all rows of a table, which has all columns that the
// forest asks for. The forest is blockDepth deep.
func (f *Forest) ScoreAll(t *Table, sums []int32) {
	if !hasAVX512 {
		f.scorePlain(t, sums)
		return
	}
	var lanes [laneRows]int32
	for i := 0; i < len(sums); i += laneRows {
		for j := range lanes {
			lanes[j] = f.Base
		}
		scoreLanesAVX512(&t.data[i], t.stride, &f.Splits[0], &f.Leaves[0], len(f.Splits)/blockDepth, &lanes[0])
		copy(sums[i:], lanes[:])
	}
}

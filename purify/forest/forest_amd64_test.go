package forest

import (
	"math/rand/v2"
	"testing"
)

// A processor with AVX-512 has AVX2 too, and would not use it.
func TestATableIsScoredByAVX2AsItsRowsAre(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	defer func(has bool) { hasAVX512 = has }(hasAVX512)
	hasAVX512 = false
	rng := rand.New(rand.NewPCG(7, 8))
	for _, f := range []*Forest{&Blocks, &Places} {
		const rows = 100
		var all Table
		all.Resize(rows, BlockColumns)
		for i := range all.data {
			all.data[i] = uint8(rng.IntN(maxValue + 1))
		}
		sums, row := make([]int32, rows), make([]uint8, BlockColumns)
		f.ScoreAll(&all, sums)
		for i, sum := range sums {
			for j := range row {
				row[j] = all.Column(j)[i]
			}
			if want := f.Score(row); sum != want {
				t.Errorf("row %d: %d, want %d", i, sum, want)
			}
		}
	}
	TestATableIsScoredAsItsRowsAre(t)
}

package purify

import (
	"math/rand/v2"
	"testing"
)

func TestATableIsScoredAsItsRowsAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const rows, columns, trees = 37, 12, 9
	f := Forest{Depth: blockDepth, Base: -300}
	for range trees * blockDepth {
		f.Splits = append(f.Splits, Split{uint16(rng.IntN(columns)), uint8(rng.IntN(256))})
	}
	for range trees << blockDepth {
		f.Leaves = append(f.Leaves, int16(rng.IntN(4000)-2000))
	}
	var all table
	all.resize(rows, columns)
	for i := range all.data {
		all.data[i] = uint8(rng.IntN(256))
	}
	sums := make([]int32, rows)
	f.scoreAll(&all, sums)
	for i, got := range sums {
		row := make([]uint8, columns)
		for j := range row {
			row[j] = all.column(j)[i]
		}
		if want := f.Score(row); got != want {
			t.Errorf("row %d: scoreAll gives %d, Score %d", i, got, want)
		}
	}
}

func TestTheCompiledForestsFitTheirColumns(t *testing.T) {
	check := func(name string, f *Forest, columns int) {
		if len(f.Splits)%f.Depth != 0 || len(f.Leaves) != len(f.Splits)/f.Depth<<f.Depth {
			t.Errorf("%s: %d splits and %d leaves are no whole trees of depth %d", name, len(f.Splits), len(f.Leaves), f.Depth)
		}
		for _, s := range f.Splits {
			if int(s.Column) >= columns {
				t.Errorf("%s asks column %d of %d", name, s.Column, columns)
			}
		}
	}
	check("blockForest", &blockForest, blockColumns)
	check("placeForest", &placeForest, blockColumns+lookColumns)
	if blockForest.Depth != blockDepth || placeForest.Depth != blockDepth {
		t.Errorf("forests of depth %d and %d, want %d: scoreAll is written out for it", blockForest.Depth, placeForest.Depth, blockDepth)
	}
	for i := range Kinds {
		check("hunchForests", &hunchForests[i], pageColumns)
		check("kindForests", &kindForests[i], pageColumns)
	}
}

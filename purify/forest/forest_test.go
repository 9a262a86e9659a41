package forest

import (
	"math/rand/v2"
	"testing"
)

func TestATableIsScoredAsItsRowsAre(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const columns, trees = 12, 9
	f := Forest{Depth: blockDepth, Base: -300}
	for range trees * blockDepth {
		f.Splits = append(f.Splits, Split{uint16(rng.IntN(columns)), uint8(rng.IntN(maxValue + 2))})
	}
	for range trees << blockDepth {
		f.Leaves = append(f.Leaves, int16(rng.IntN(4000)-2000))
	}
	for _, rows := range []int{1, 7, 8, 9, 32, 40, 65} {
		var all Table
		all.Resize(rows, columns)
		for i := range all.data {
			all.data[i] = uint8(rng.IntN(maxValue + 1))
		}
		sums, plain := make([]int32, rows), make([]int32, rows)
		f.ScoreAll(&all, sums)
		f.scorePlain(&all, plain)
		for i := range sums {
			row := make([]uint8, columns)
			for j := range row {
				row[j] = all.Column(j)[i]
			}
			if want := f.Score(row); sums[i] != want || plain[i] != want {
				t.Errorf("row %d of %d: scoreAll gives %d, scorePlain %d, Score %d", i, rows, sums[i], plain[i], want)
			}
		}
	}
}

func TestTheCompiledForestsFitTheirColumns(t *testing.T) {
	check := func(name string, f *Forest, columns int) {
		if len(f.Splits)%f.Depth != 0 || len(f.Leaves) != len(f.Splits)/f.Depth<<f.Depth {
			t.Errorf("%s: %d splits and %d leaves are not whole trees of depth %d", name, len(f.Splits), len(f.Leaves), f.Depth)
		}
		for i, s := range f.Splits {
			if int(s.Column) >= columns {
				t.Errorf("%s asks column %d of %d", name, s.Column, columns)
			}
			if s.From > maxValue+1 {
				t.Errorf("%s: split %d is at %d, and no value is above %d", name, i, s.From, maxValue)
			}
		}
	}
	check("blockForest", &Blocks, BlockColumns)
	check("placeForest", &Places, BlockColumns)
	if Blocks.Depth != blockDepth || Places.Depth != blockDepth {
		t.Errorf("forests of depth %d and %d, want %d: scoreAll is written out for it", Blocks.Depth, Places.Depth, blockDepth)
	}
	for i := range Types {
		check("hunchForests", &Priors[i], PageColumns)
		check("kindForests", &Types[i], PageColumns)
	}
}

// The columns of a long table start in different lines of a cache, however many rows it has.
func TestColumnsOfALongTableStartInManyLines(t *testing.T) {
	const line, lines = 64, 64 // of a cache of 32 kB with eight ways
	for _, rows := range []int{1 << 10, 1 << 12, 3 << 10, 1<<15 - 31, 1 << 15} {
		var all Table
		all.Resize(rows, 2)
		met := map[int]bool{}
		for column := range lines {
			met[column*all.stride/line%lines] = true
		}
		if all.stride < rows || all.stride%laneRows != 0 || len(met) < lines/4 {
			t.Errorf("%d rows have a stride of %d: %d columns start in %d lines", rows, all.stride, lines, len(met))
		}
	}
}

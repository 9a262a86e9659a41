package main

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestAForestLearnsWhatTwoColumnsTogetherSay(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &set{columns: make([][]uint8, 5)}
	var rows []int32
	for i := range 4000 {
		var v [5]uint8
		for j := range v {
			v[j] = uint8(rng.IntN(100))
			s.columns[j] = append(s.columns[j], v[j])
		}
		s.label = append(s.label, one(v[1] >= 50 != (v[3] >= 30)))
		s.weight = append(s.weight, 0.01+rng.Float32())
		rows = append(rows, int32(i))
	}
	f := recipe{trees: 60, depth: 3, rate: 0.2, sample: 1500, columns: 0.8, l2: 3}.grow(s, rows[:3000])
	right := 0
	for i := 3000; i < 4000; i++ {
		row := make([]uint8, 5)
		for j := range row {
			row[j] = s.columns[j][i]
		}
		if one(f.Score(row) > 0) == s.label[i] {
			right++
		}
	}
	if right < 950 {
		t.Errorf("%d of 1,000 rows are right, want at least 950", right)
	}
}

func TestTheSameRowsGrowTheSameForest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := &set{columns: make([][]uint8, 8)}
	var rows []int32
	for i := range 500 {
		for j := range s.columns {
			s.columns[j] = append(s.columns[j], uint8(rng.IntN(20)))
		}
		s.label = append(s.label, one(s.columns[2][i] > 9))
		s.weight = append(s.weight, 1)
		rows = append(rows, int32(i))
	}
	var source [2]bytes.Buffer
	for i := range source {
		writeForest(&source[i], kindRecipe.grow(s, rows))
	}
	if !bytes.Equal(source[0].Bytes(), source[1].Bytes()) {
		t.Error("two forests of the same rows differ")
	}
}

func one(yes bool) float32 {
	if yes {
		return 1
	}
	return 0
}

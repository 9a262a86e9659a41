package main

import (
	"math"
	"math/rand/v2"

	"gatecrawl/purify"
)

// A set is rows of features, a column after the other, with what is known.
type set struct {
	columns [][]uint8
	label   []bool
	weight  []float32
}

// A recipe says how a forest is grown.
type recipe struct {
	trees, depth int
	rate         float64 // share of a tree's answer that is added
	sample       float64 // rows drawn for a tree, by weight
	columns      float64 // share of the columns that a tree may ask
	calm         float64 // added to a leaf's curvature, in rows of mean weight
}

// grow trains a forest on some rows of a set by gradient boosting with second
// derivatives (Friedman 2001; Chen and Guestrin 2016) of the logistic loss.
// All nodes of a level share a split. The same set and recipe give the same
// forest.
func (r recipe) grow(s *set, rows []int32) *purify.Forest {
	f := &purify.Forest{Depth: r.depth}
	rng := rand.New(rand.NewPCG(20, 26))
	var total, positive float64
	for _, i := range rows {
		total += float64(s.weight[i])
		if s.label[i] {
			positive += float64(s.weight[i])
		}
	}
	f.Base = int32(math.Round(purify.Logit * math.Log((positive+1e-9)/(total-positive+1e-9))))
	unit := float64(len(rows)) / total // mean weight of one
	score := make([]float32, len(rows))
	for i := range score {
		score[i] = float32(f.Base) / purify.Logit
	}
	g := &grower{set: s, calm: r.calm}
	for range r.trees {
		g.reset()
		for n, i := range rows {
			w := float64(s.weight[i]) * unit
			chance := min(1, w*r.sample/float64(len(rows)))
			if rng.Float64() >= chance {
				continue
			}
			p := 1 / (1 + math.Exp(-float64(score[n])))
			y := 0.0
			if s.label[i] {
				y = 1
			}
			w /= chance
			g.add(i, (y-p)*w, p*(1-p)*w)
		}
		var columns []int
		for j := range s.columns {
			if rng.Float64() < r.columns {
				columns = append(columns, j)
			}
		}
		splits := make([]purify.Split, 0, r.depth)
		for range r.depth {
			splits = append(splits, g.split(columns))
		}
		leaves := g.leaves(r.depth, r.rate)
		f.Splits = append(f.Splits, splits...)
		f.Leaves = append(f.Leaves, leaves...)
		for n, i := range rows {
			score[n] += float32(leaves[leafOf(s, splits, i)]) / purify.Logit
		}
	}
	return f
}

func leafOf(s *set, splits []purify.Split, row int32) int {
	leaf := 0
	for level, q := range splits {
		if s.columns[q.Column][row] >= q.From {
			leaf |= 1 << level
		}
	}
	return leaf
}

// A grower grows one tree on rows that were drawn for it.
type grower struct {
	set   *set
	calm  float64
	rows  []int32
	pull  []float32 // first derivative
	curve []float32 // second derivative
	leaf  []uint8
	level int
	cells []cell
}

type cell struct{ pull, curve float32 }

func (g *grower) reset() {
	g.rows, g.pull, g.curve, g.leaf, g.level = g.rows[:0], g.pull[:0], g.curve[:0], g.leaf[:0], 0
}

func (g *grower) add(row int32, pull, curve float64) {
	g.rows = append(g.rows, row)
	g.pull = append(g.pull, float32(pull))
	g.curve = append(g.curve, float32(curve))
	g.leaf = append(g.leaf, 0)
}

// split asks the best question of all leaves at once.
func (g *grower) split(columns []int) purify.Split {
	best, gain := purify.Split{From: 255}, 0.0
	for _, j := range columns {
		if from, won := g.try(j); won > gain {
			best, gain = purify.Split{Column: uint16(j), From: from}, won
		}
	}
	column := g.set.columns[best.Column]
	for n, i := range g.rows {
		if column[i] >= best.From {
			g.leaf[n] |= 1 << g.level
		}
	}
	g.level++
	return best
}

// try returns the best threshold of a column and what it wins.
func (g *grower) try(j int) (from uint8, gain float64) {
	column := g.set.columns[j]
	const bins = 256
	leaves := 1 << g.level
	if len(g.cells) < leaves*bins {
		g.cells = make([]cell, leaves*bins)
	}
	cells := g.cells[:leaves*bins]
	clear(cells)
	top := 0
	for n, i := range g.rows {
		v := int(column[i])
		top = max(top, v)
		c := &cells[int(g.leaf[n])*bins+v]
		c.pull += g.pull[n]
		c.curve += g.curve[n]
	}
	if top == 0 {
		return 0, 0
	}
	var won [bins]float64
	for l := range leaves {
		row := cells[l*bins : l*bins+top+1]
		var pull, curve float64
		for _, c := range row {
			pull += float64(c.pull)
			curve += float64(c.curve)
		}
		if curve == 0 {
			continue
		}
		whole := pull * pull / (curve + g.calm)
		var p, h float64
		for v := 1; v <= top; v++ {
			p += float64(row[v-1].pull)
			h += float64(row[v-1].curve)
			won[v] += p*p/(h+g.calm) + (pull-p)*(pull-p)/(curve-h+g.calm) - whole
		}
	}
	for v := 1; v <= top; v++ {
		if won[v] > gain {
			from, gain = uint8(v), won[v]
		}
	}
	return from, gain
}

// leaves returns the answers of the tree.
func (g *grower) leaves(depth int, rate float64) []int16 {
	pull, curve := make([]float64, 1<<depth), make([]float64, 1<<depth)
	for n, l := range g.leaf {
		pull[l] += float64(g.pull[n])
		curve[l] += float64(g.curve[n])
	}
	out := make([]int16, 1<<depth)
	for l := range out {
		answer := rate * pull[l] / (curve[l] + g.calm)
		out[l] = int16(math.Round(purify.Logit * min(max(answer, -4), 4)))
	}
	return out
}

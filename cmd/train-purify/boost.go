package main

import (
	"math"
	"math/rand/v2"

	"gatecrawl.example/gatecrawl/purify/forest"
)

// A set is rows of features, a column after the other, with what is known.
type set struct {
	columns [][]uint8
	label   []float32 // 0 to 1
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
func (r recipe) grow(s *set, rows []int32) *forest.Forest {
	f := &forest.Forest{Depth: r.depth}
	rng := rand.New(rand.NewPCG(20, 26))
	var total, positive float64
	for _, i := range rows {
		total += float64(s.weight[i])
		positive += float64(s.weight[i] * s.label[i])
	}
	f.Base = int32(math.Round(forest.Logit * math.Log((positive+1e-9)/(total-positive+1e-9))))
	unit := float64(len(rows)) / total // mean weight of one
	score := make([]float32, len(rows))
	for i := range score {
		score[i] = float32(f.Base) / forest.Logit
	}
	g := newGrower(s, r.calm)
	for range r.trees {
		g.reset()
		for n, i := range rows {
			w := float64(s.weight[i]) * unit
			chance := min(1, w*r.sample/float64(len(rows)))
			if rng.Float64() >= chance {
				continue
			}
			p := 1 / (1 + math.Exp(-float64(score[n])))
			w /= chance
			g.add(i, (float64(s.label[i])-p)*w, p*(1-p)*w)
		}
		var columns []int
		for j := range s.columns {
			if rng.Float64() < r.columns && g.top[j] > 0 {
				columns = append(columns, j)
			}
		}
		g.gather(columns)
		splits := make([]forest.Split, 0, r.depth)
		for range r.depth {
			splits = append(splits, g.split())
		}
		leaves := g.leaves(r.depth, r.rate)
		f.Splits = append(f.Splits, splits...)
		f.Leaves = append(f.Leaves, leaves...)
		at := g.leavesOf(splits)
		for n, i := range rows {
			score[n] += float32(leaves[at[i]]) / forest.Logit
		}
	}
	return f
}

// scores returns what a forest says of the rows from one to another.
func scores(f *forest.Forest, s *set, from, to int32) []int32 {
	out := make([]int32, to-from)
	for i := range out {
		out[i] = f.Base
	}
	leaves := f.Leaves
	at := make([]uint8, len(out))
	for splits := f.Splits; len(splits) > 0; splits = splits[f.Depth:] {
		clear(at)
		for level, q := range splits[:f.Depth] {
			ask(at, s.columns[q.Column][from:to], q.From, level)
		}
		for i, leaf := range at {
			out[i] += int32(leaves[leaf])
		}
		leaves = leaves[1<<f.Depth:]
	}
	return out
}

// ask sets the bit of a level in the leaves of the rows whose value is from or more.
func ask(leaves, column []uint8, from uint8, level int) {
	for i, v := range column[:len(leaves)] {
		leaves[i] |= uint8((uint32(from)-1-uint32(v))>>31) << level
	}
}

// A grower grows one tree on rows that were drawn for it.
type grower struct {
	set    *set
	top    []int // largest value of each column
	calm   float64
	rows   []int32
	pull   []float32 // first derivative
	curve  []float32 // second derivative
	leaf   []uint8
	level  int
	asked  []asked // columns that the tree may ask
	cells  []cell
	totals []cell  // of each leaf
	all    []uint8 // leaf of every row of the set
}

// asked are the values of a column for the drawn rows, without those that are 0:
// most are in most columns.
type asked struct {
	column int
	at     []int32 // places in grower.rows
	values []uint8
}

type cell struct{ pull, curve float32 }

func newGrower(s *set, calm float64) *grower {
	g := &grower{set: s, calm: calm, top: make([]int, len(s.columns)), all: make([]uint8, len(s.label))}
	for j, column := range s.columns {
		for _, v := range column {
			g.top[j] = max(g.top[j], int(v))
		}
	}
	return g
}

func (g *grower) reset() {
	g.rows, g.pull, g.curve, g.leaf, g.level = g.rows[:0], g.pull[:0], g.curve[:0], g.leaf[:0], 0
}

func (g *grower) add(row int32, pull, curve float64) {
	g.rows = append(g.rows, row)
	g.pull = append(g.pull, float32(pull))
	g.curve = append(g.curve, float32(curve))
	g.leaf = append(g.leaf, 0)
}

// gather copies the columns that the tree may ask.
func (g *grower) gather(columns []int) {
	for len(g.asked) < len(columns) {
		g.asked = append(g.asked, asked{})
	}
	g.asked = g.asked[:len(columns)]
	for k, j := range columns {
		a := &g.asked[k]
		a.column, a.at, a.values = j, a.at[:0], a.values[:0]
		column := g.set.columns[j]
		for n, i := range g.rows {
			if v := column[i]; v > 0 {
				a.at = append(a.at, int32(n))
				a.values = append(a.values, v)
			}
		}
	}
}

// split asks the best question of all leaves at once.
func (g *grower) split() forest.Split {
	g.totals = append(g.totals[:0], make([]cell, 1<<g.level)...)
	for n, leaf := range g.leaf {
		g.totals[leaf].pull += g.pull[n]
		g.totals[leaf].curve += g.curve[n]
	}
	best, gain := forest.Split{From: 255}, 0.0
	for k := range g.asked {
		if from, won := g.try(&g.asked[k]); won > gain {
			best, gain = forest.Split{Column: uint16(g.asked[k].column), From: from}, won
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

// leavesOf returns the leaf of every row of the set. It is valid until the next call.
func (g *grower) leavesOf(splits []forest.Split) []uint8 {
	clear(g.all)
	for level, q := range splits {
		ask(g.all, g.set.columns[q.Column], q.From, level)
	}
	return g.all
}

// try returns the best threshold of a column and what it wins.
func (g *grower) try(a *asked) (from uint8, gain float64) {
	bins := g.top[a.column] + 1
	leaves := 1 << g.level
	if len(g.cells) < leaves*bins {
		g.cells = make([]cell, leaves*256)
	}
	cells := g.cells[:leaves*bins]
	clear(cells)
	for k, n := range a.at {
		c := &cells[int(g.leaf[n])*bins+int(a.values[k])]
		c.pull += g.pull[n]
		c.curve += g.curve[n]
	}
	var won [256]float64
	for l := range leaves {
		pull, curve := float64(g.totals[l].pull), float64(g.totals[l].curve)
		if curve == 0 {
			continue
		}
		row := cells[l*bins : (l+1)*bins]
		whole := pull * pull / (curve + g.calm)
		var p, h float64 // of the rows from v on
		for v := bins - 1; v > 0; v-- {
			p += float64(row[v].pull)
			h += float64(row[v].curve)
			won[v] += p*p/(h+g.calm) + (pull-p)*(pull-p)/(max(curve-h, 0)+g.calm) - whole
		}
	}
	for v := 1; v < bins; v++ {
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
		out[l] = int16(math.Round(forest.Logit * min(max(answer, -4), 4)))
	}
	return out
}

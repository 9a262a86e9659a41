package main

import (
	"math"
	"math/rand/v2"

	"gatecrawl.example/gatecrawl/purify/forest"
)

// A set is a table of features, stored by column, with labels.
type set struct {
	columns [][]uint8
	label   []float32 // 0 to 1
	weight  []float32
}

// A recipe is the hyperparameters of a forest.
type recipe struct {
	trees, depth int
	rate         float64 // learning rate: share of a tree's answer that is added
	sample       float64 // share of the rows drawn for a tree, by weight
	columns      float64 // share of the columns that a tree may use
	l2           float64 // L2 regularization, added to a leaf's second derivative, in rows of mean weight
}

// grow trains a forest on some rows of a set by gradient boosting with second derivatives of the
// logistic loss (Friedman 2001; Chen and Guestrin 2016). All nodes of a level share a split. The
// same set and recipe give the same forest.
func (r recipe) grow(s *set, rows []int32) *forest.Forest {
	f := &forest.Forest{Depth: r.depth}
	rng := rand.New(rand.NewPCG(20, 26))
	var total, positive float64
	for _, i := range rows {
		total += float64(s.weight[i])
		positive += float64(s.weight[i] * s.label[i])
	}
	f.Base = int32(math.Round(forest.Logit * math.Log((positive+1e-9)/(total-positive+1e-9))))
	unit := float64(len(rows)) / total // mean weight of a row
	score := make([]float32, len(rows))
	for i := range score {
		score[i] = float32(f.Base) / forest.Logit
	}
	g := newGrower(s, r.l2)
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

// scores returns the sums of a forest for a range of rows.
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
			setBit(at, s.columns[q.Column][from:to], q.From, level)
		}
		for i, leaf := range at {
			out[i] += int32(leaves[leaf])
		}
		leaves = leaves[1<<f.Depth:]
	}
	return out
}

// setBit sets the bit of a level in the leaves of the rows whose value is at least from.
func setBit(leaves, column []uint8, from uint8, level int) {
	for i, v := range column[:len(leaves)] {
		leaves[i] |= uint8((uint32(from)-1-uint32(v))>>31) << level
	}
}

// A grower grows one tree on the rows that were drawn for it.
type grower struct {
	set        *set
	top        []int // largest value of each column
	l2         float64
	rows       []int32
	gradient   []float32 // first derivative
	hessian    []float32 // second derivative
	leaf       []uint8
	level      int
	candidates []sparseColumn // columns that the tree may use
	cells      []cell
	totals     []cell  // sums of each leaf
	all        []uint8 // leaf of every row of the set
}

// A sparseColumn has the values of a column in the drawn rows, except those that are 0: in most columns most
// are.
type sparseColumn struct {
	column int
	at     []int32 // indexes in grower.rows
	values []uint8
}

type cell struct{ gradient, hessian float32 }

func newGrower(s *set, l2 float64) *grower {
	g := &grower{set: s, l2: l2, top: make([]int, len(s.columns)), all: make([]uint8, len(s.label))}
	for j, column := range s.columns {
		for _, v := range column {
			g.top[j] = max(g.top[j], int(v))
		}
	}
	return g
}

func (g *grower) reset() {
	g.rows, g.gradient, g.hessian, g.leaf, g.level = g.rows[:0], g.gradient[:0], g.hessian[:0], g.leaf[:0], 0
}

func (g *grower) add(row int32, gradient, hessian float64) {
	g.rows = append(g.rows, row)
	g.gradient = append(g.gradient, float32(gradient))
	g.hessian = append(g.hessian, float32(hessian))
	g.leaf = append(g.leaf, 0)
}

// gather copies the columns that the tree may use.
func (g *grower) gather(columns []int) {
	for len(g.candidates) < len(columns) {
		g.candidates = append(g.candidates, sparseColumn{})
	}
	g.candidates = g.candidates[:len(columns)]
	for k, j := range columns {
		a := &g.candidates[k]
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

// split finds the best question for all leaves at once.
func (g *grower) split() forest.Split {
	g.totals = append(g.totals[:0], make([]cell, 1<<g.level)...)
	for n, leaf := range g.leaf {
		g.totals[leaf].gradient += g.gradient[n]
		g.totals[leaf].hessian += g.hessian[n]
	}
	best, gain := forest.Split{From: 255}, 0.0
	for k := range g.candidates {
		if from, won := g.try(&g.candidates[k]); won > gain {
			best, gain = forest.Split{Column: uint16(g.candidates[k].column), From: from}, won
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
		setBit(g.all, g.set.columns[q.Column], q.From, level)
	}
	return g.all
}

// try returns the best threshold of a column and its gain.
func (g *grower) try(a *sparseColumn) (from uint8, gain float64) {
	bins := g.top[a.column] + 1
	leaves := 1 << g.level
	if len(g.cells) < leaves*bins {
		g.cells = make([]cell, leaves*256)
	}
	cells := g.cells[:leaves*bins]
	clear(cells)
	for k, n := range a.at {
		c := &cells[int(g.leaf[n])*bins+int(a.values[k])]
		c.gradient += g.gradient[n]
		c.hessian += g.hessian[n]
	}
	var won [256]float64
	for l := range leaves {
		gradient, hessian := float64(g.totals[l].gradient), float64(g.totals[l].hessian)
		if hessian == 0 {
			continue
		}
		row := cells[l*bins : (l+1)*bins]
		whole := gradient * gradient / (hessian + g.l2)
		var p, h float64 // sums of the rows whose value is at least v
		for v := bins - 1; v > 0; v-- {
			p += float64(row[v].gradient)
			h += float64(row[v].hessian)
			won[v] += p*p/(h+g.l2) + (gradient-p)*(gradient-p)/(max(hessian-h, 0)+g.l2) - whole
		}
	}
	for v := 1; v < bins; v++ {
		if won[v] > gain {
			from, gain = uint8(v), won[v]
		}
	}
	return from, gain
}

// leaves returns the values of the tree's leaves.
func (g *grower) leaves(depth int, rate float64) []int16 {
	gradient, hessian := make([]float64, 1<<depth), make([]float64, 1<<depth)
	for n, l := range g.leaf {
		gradient[l] += float64(g.gradient[n])
		hessian[l] += float64(g.hessian[n])
	}
	out := make([]int16, 1<<depth)
	for l := range out {
		answer := rate * gradient[l] / (hessian[l] + g.l2)
		out[l] = int16(math.Round(forest.Logit * min(max(answer, -4), 4)))
	}
	return out
}

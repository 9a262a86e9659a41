package category

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// An Example is a page whose category is known.
type Example struct {
	Host     string
	Category string

	words map[string]float32
	order uint64 // by which a sample is drawn
}

// The bounds of a sample and of a category.
const (
	maxExamples   = 6000
	maxOfOne      = 400 // examples of a category
	maxCategories = 50
	leastExamples = 8 // of a category: one with fewer is not learned
)

// The settings of the fit.
const (
	rounds = 20
	step   = 3. // of the first round; the last takes a third of it
	decay  = 1e-5
)

// A Model classifies pages. It never changes, and is safe for concurrent use.
type Model struct {
	Categories []string // by name

	words  *vocabulary
	weight []float32 // by word and category
	bias   []float32
	near   []near
	floor  []float32 // by category: how much a page is like the examples at least
}

// Fit trains a model on examples. It fails if fewer than two categories have eight examples
// each. Every category weighs the same, however many examples it has. Method:
// multinomial logistic loss, stochastic gradient descent in 20 rounds; the same examples in the
// same order give the same model.
func Fit(examples []Example) (*Model, error) {
	m := &Model{Categories: namesOf(examples, leastExamples)}
	if len(m.Categories) < 2 {
		return nil, fmt.Errorf("a model needs two categories of %d pages each", leastExamples)
	}
	examples = slices.DeleteFunc(slices.Clone(examples), func(e Example) bool { return m.number(e.Category) < 0 })
	m.words = learnWords(examples)
	n := len(m.Categories)
	m.weight, m.bias = make([]float32, len(m.words.Words)*n), make([]float32, n)
	rows, number, share := make([][]weight, len(examples)), make([]int, len(examples)), make([]float32, n)
	for i, e := range examples {
		rows[i], number[i] = m.words.vector(e.words), m.number(e.Category)
		share[number[i]]++
	}
	for i := range share {
		share[i] = float32(len(examples)) / float32(n) / share[i]
	}
	random, odds := rand.New(rand.NewPCG(1, uint64(len(examples)))), make([]float32, n)
	order := random.Perm(len(examples))
	for round := range rounds {
		rate := float32(step / (1 + .1*float64(round)))
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			m.odds(odds, rows[i])
			m.learn(rows[i], odds, number[i], rate*min(share[number[i]], 4))
		}
	}
	m.learnNear(examples)
	return m, nil
}

// namesOf returns the categories that have some examples, at most fifty: the most frequent.
func namesOf(examples []Example, least int) []string {
	n := make(map[string]int)
	for _, e := range examples {
		n[e.Category]++
	}
	var names []string
	for name, k := range n {
		if k >= least {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) })
	names = names[:min(len(names), maxCategories)]
	slices.Sort(names)
	return names
}

func (m *Model) number(name string) int {
	if i, ok := slices.BinarySearch(m.Categories, name); ok {
		return i
	}
	return -1
}

// odds writes the probability of each category for a page with a vector.
func (m *Model) odds(odds []float32, v []weight) {
	copy(odds, m.bias)
	for _, w := range v {
		row := m.weight[int(w.word)*len(odds):][:len(odds)]
		for c := range odds {
			odds[c] += row[c] * w.x
		}
	}
	sum, most := float32(0), slices.Max(odds)
	for c := range odds {
		odds[c] = float32(math.Exp(float64(odds[c] - most)))
		sum += odds[c]
	}
	for c := range odds {
		odds[c] /= sum
	}
}

// learn takes a step towards the category of an example.
func (m *Model) learn(v []weight, odds []float32, number int, rate float32) {
	n := len(odds)
	odds[number]--
	for _, w := range v {
		row := m.weight[int(w.word)*n:][:n]
		for c := range row {
			row[c] -= rate * (odds[c]*w.x + decay*row[c])
		}
	}
	for c := range m.bias {
		m.bias[c] -= rate * .1 * odds[c]
	}
}

// Tell returns the likeliest of the model's categories for a page and its probability, 0 to
// 1. ok is false if the page has fewer than ten of the model's words, or is less like the examples of that
// category than nineteen of twenty of these are like the others: probably it is of none of the categories.
func (m *Model) Tell(title, body string) (name string, likely float64, ok bool) {
	words := counted(title, body)
	if name, likely, ok = m.tell(words); !ok || !m.resembles(words, m.number(name)) {
		return "", 0, false
	}
	return name, likely, true
}

// LikelyEnough is the default of the probability from which on a page gets a category.
const LikelyEnough = .5

// Likely returns Tell's category of a page if its probability is LikelyEnough, else "".
func (m *Model) Likely(title, body string) string {
	if name, likely, ok := m.Tell(title, body); ok && likely >= LikelyEnough {
		return name
	}
	return ""
}

// tell returns the likeliest category of a page, be it like the examples or not.
func (m *Model) tell(words map[string]float32) (name string, likely float64, ok bool) {
	v := m.words.vector(words)
	if len(v) < leastKnown {
		return "", 0, false
	}
	odds := make([]float32, len(m.Categories))
	m.odds(odds, v)
	best := 0
	for c := range odds {
		if odds[c] > odds[best] {
			best = c
		}
	}
	return m.Categories[best], float64(odds[best]), true
}

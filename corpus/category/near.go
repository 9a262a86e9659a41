package category

import (
	"cmp"
	"math"
	"slices"
)

const (
	nearest  = 3   // the example of a category whose likeness counts: the third most alike
	farthest = .05 // the share of a category's examples that are farther from the others than a page of it may be
	equal    = .99 // likeness of copies
	enough   = .5  // likeness that no category asks more of: examples may be nearly copies, see equal
	longestV = 128 // words of an example that are compared, those with the most weight
)

// An example of a category is compared with pages that may be of none of the categories.
type near struct {
	of     int // the category
	vector []weight
}

// full returns the weights of a page's words like vector, but a word that the model does not know counts too, as one that
// no example has: the more of them, the shorter is what is left for the known ones.
func (v *vocabulary) full(n map[string]float32) []weight {
	list, unknown := v.weigh(n)
	rare := math.Log(float64(1 + v.Examples))
	return scaled(list, unknown*rare*rare)
}

// learnNear keeps the examples that pages are compared with, and for each category how alike its own examples are: of a
// category the floor is the likeness that all but a twentieth of its examples have to the third most alike of the others.
func (m *Model) learnNear(examples []Example) {
	m.near, m.floor = make([]near, len(examples)), make([]float32, len(m.Categories))
	alike, page := make([][]float32, len(m.Categories)), make([]float32, len(m.words.Words))
	vectors := make([][]weight, len(examples))
	for i, e := range examples {
		vectors[i] = m.words.full(e.words)
		v := slices.Clone(vectors[i])
		slices.SortFunc(v, func(a, b weight) int { return cmp.Or(cmp.Compare(b.x, a.x), cmp.Compare(a.word, b.word)) })
		m.near[i] = near{m.number(e.Category), slices.Clone(v[:min(len(v), longestV)])}
	}
	for i, v := range vectors {
		c := m.near[i].of
		if x := m.likeness(page, v, c, i); x < equal {
			alike[c] = append(alike[c], x)
		}
	}
	for c, list := range alike {
		if len(list) == 0 {
			continue // its examples are copies, which do not say how far apart its pages are
		}
		slices.Sort(list)
		m.floor[c] = min(list[int(farthest*float64(len(list)))], enough)
	}
}

// likeness returns the cosine of a page and the third most alike example of a category, without one of them. page has a zero for
// each word of the model, and is left so.
func (m *Model) likeness(page []float32, v []weight, category, without int) float32 {
	for _, w := range v {
		page[w.word] = w.x
	}
	var best [nearest]float32 // the most alike first
	for i := range m.near {
		if m.near[i].of != category || i == without {
			continue
		}
		sum := float32(0)
		for _, w := range m.near[i].vector {
			sum += page[w.word] * w.x
		}
		for k := range best {
			if sum > best[k] {
				sum, best[k] = best[k], sum
			}
		}
	}
	for _, w := range v {
		page[w.word] = 0
	}
	return best[nearest-1]
}

// resembles reports whether a page is as much like the examples of a category as these are like each other.
func (m *Model) resembles(words map[string]float32, category int) bool {
	return m.likeness(make([]float32, len(m.words.Words)), m.words.full(words), category, -1) >= m.floor[category]
}

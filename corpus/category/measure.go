package category

import (
	"maps"
	"slices"
)

// A Score says how often models are right about examples that they were not trained on.
type Score struct {
	Examples int     `json:"examples"` // that were asked about
	Right    int     `json:"right"`    // of these
	Told     int     `json:"told"`     // that get a category: a likely enough one, whose examples they are like
	RightOf  int     `json:"right_of"` // of Told
	Baseline float64 `json:"baseline"` // accuracy of always answering the most frequent category
}

// Accuracy is the share of all examples that are classified correctly.
func (s Score) Accuracy() float64 { return share(s.Right, s.Examples) }

// Precision is the share of correct answers among the examples that get a category.
func (s Score) Precision() float64 { return share(s.RightOf, s.Told) }

// Coverage is the share of examples that get a category.
func (s Score) Coverage() float64 { return share(s.Told, s.Examples) }

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// folds is the number of parts that the examples are divided into.
const folds = 5

// Measure runs fivefold cross-validation twice: once with pages left out, and once with whole
// hosts. With hosts it tests only examples whose category occurs on two or more hosts, of
// which there may be none. An answer is likely enough if its probability is at least least.
func Measure(examples []Example, least float64) (byPage, byHost Score) {
	byPage = measure(examples, least, func(e Example) int { return int(e.order % folds) })
	hosts := make(map[string]map[string]bool)
	for _, e := range examples {
		if hosts[e.Category] == nil {
			hosts[e.Category] = make(map[string]bool)
		}
		hosts[e.Category][e.Host] = true
	}
	shared := slices.DeleteFunc(slices.Clone(examples), func(e Example) bool { return len(hosts[e.Category]) < 2 })
	place := make(map[string]int)
	for _, e := range shared {
		place[e.Host] = 0
	}
	for i, host := range slices.Sorted(maps.Keys(place)) {
		place[host] = i % folds
	}
	return byPage, measure(shared, least, func(e Example) int { return place[e.Host] })
}

// MeasureOthers asks models about pages of none of their categories: in each of five rounds other categories are left out of
// the training, and their pages are asked about. Coverage is the share that gets a category all the same, and no answer is right.
// With fewer than three categories there are no such models.
func MeasureOthers(examples []Example, least float64) (s Score) {
	names := namesOf(examples, leastExamples)
	for fold := range min(folds, len(names)) {
		in, out := split(examples, func(e Example) bool {
			i, ok := slices.BinarySearch(names, e.Category)
			return ok && i%folds == fold
		})
		m, err := Fit(in)
		if err != nil {
			continue // too few are left
		}
		for _, e := range out {
			s.ask(m, e, least)
		}
	}
	return s
}

// split returns the examples that a model is trained on, and those that are held out.
func split(examples []Example, held func(Example) bool) (in, out []Example) {
	for _, e := range examples {
		if held(e) {
			out = append(out, e)
		} else {
			in = append(in, e)
		}
	}
	return in, out
}

func measure(examples []Example, least float64, part func(Example) int) (s Score) {
	n, most := make(map[string]int), 0
	for fold := range folds {
		in, out := split(examples, func(e Example) bool { return part(e) == fold })
		m, err := Fit(in)
		if err != nil {
			continue // too few are left
		}
		for _, e := range out {
			if m.number(e.Category) < 0 {
				continue // no example of it is left
			}
			n[e.Category]++
			most = max(most, n[e.Category])
			s.ask(m, e, least)
		}
	}
	s.Baseline = share(most, s.Examples)
	return s
}

func (s *Score) ask(m *Model, e Example, least float64) {
	name, likely, ok := m.tell(e.words)
	s.Examples++
	if !ok {
		return
	}
	right := 0
	if name == e.Category {
		right = 1
	}
	s.Right += right
	if likely >= least && m.resembles(e.words, m.number(name)) {
		s.Told++
		s.RightOf += right
	}
}

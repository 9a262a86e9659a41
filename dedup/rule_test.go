package dedup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A gate tells of the kept pages that resemble a page by which rule they are others, after those that
// it would be a copy of.
func TestWhatResemblesAPageIsToldWithItsRule(t *testing.T) {
	g, l := readingGate(t)
	words := strings.Fields(text(rand.New(rand.NewPCG(5, 5)), 300))
	with := func(title string, changed int) Text {
		w := slices.Clone(words)
		for i := range changed {
			w[i*len(w)/changed] = fmt.Sprintf("changed%s%d", title[len(title)-1:], i)
		}
		return Text{Title: title, Body: strings.Join(w, " ")}
	}
	claimText(t, g, l, 1, Text{Title: "Release 2.4", Head: "Release 2.4", Body: with("story", 0).Body})
	claimText(t, g, l, 2, with("A story B", 25))
	claimText(t, g, l, 3, Text{Title: "Another", Body: text(rand.New(rand.NewPCG(8, 8)), 300)})
	for _, c := range []struct {
		title string
		limit int
		want  []Neighbour
	}{
		{"Release 2.4", 0, []Neighbour{{Verdict{Of: 1}, ""}, {Verdict{Of: 2}, TextsDiffer}}},
		{"Release 2.4", 1, []Neighbour{{Verdict{Of: 1}, ""}, {Verdict{Of: 2}, TextsDiffer}}},
		{"Release 2.5", 0, []Neighbour{{Verdict{Of: 1}, TwoOfASeries}, {Verdict{Of: 2}, TextsDiffer}}},
		{"Release 2.5", 1, []Neighbour{{Verdict{Of: 1}, TwoOfASeries}}},
	} {
		asked := Text{Title: c.title, Head: c.title, Body: with("story", 1).Body}
		got, err := g.Resembling(asked.Sign(), &asked, c.limit)
		same := func(a, b Neighbour) bool { return a.Of == b.Of && a.Apart == b.Apart && a.Similarity >= Resembles }
		if err != nil || !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s, limit %d: %+v, %v; want %+v", c.title, c.limit, got, err, c.want)
		}
	}
}

// Each rule of the gate says in its own words why.
func TestRulesAreDifferentWords(t *testing.T) {
	known := make(map[Rule]bool)
	for _, r := range conditions {
		if r.rule == "" || known[r.rule] {
			t.Errorf("rule %q is there twice, or says nothing", r.rule)
		}
		known[r.rule] = true
	}
}

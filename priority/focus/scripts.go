package focus

import (
	"cmp"
	"slices"

	"gatecrawl.example/gatecrawl/priority"
)

// A topic in the words of two languages is a topic in both: a page is on it if it is on either half.
// Halves are told apart by their scripts. When pages on one half are known, and the other half's words
// are not on them, each half's ratings are compared with the best of that half. Otherwise the first
// half that is found would set the measure, and pages that have something of the other, by which a
// crawl of its own finds its way there, would be worth less than any page next to the first.

const (
	// leastAside is the least rating that counts as the best of a half when the other is found.
	// It is less than usual: that other half's pages show what the topic's own pages reach.
	// Of .1, .15 and .25 it found most of the lesser halves of 72 (docs/measurements-focus.md).
	leastAside = .15

	// aside is the rating by the words of a script from which a page has them, more than by chance.
	aside = .05
)

// scripts is what a judge knows of a topic in several scripts.
type scripts struct {
	rated []histogram // of kept pages by the words of each script; nil: the topic has one script
	on    int         // pages on the topic by the words of a script
	both  int         // of these, pages that have words of another one, too
}

func newScripts(t *priority.Topic) (s scripts) {
	if n := t.Scripts(); n > 1 {
		s.rated = make([]histogram, n)
	}
	return s
}

// add counts a kept page.
func (s *scripts) add(by priority.ByScript) {
	most, second := 0., 0.
	for i := range s.rated {
		s.rated[i].add(by[i])
		second = max(second, min(most, by[i]))
		most = max(most, by[i])
	}
	if most < usual {
		return
	}
	s.on++
	if second >= aside {
		s.both++
	}
}

// halves returns how the ratings by the words of each script compare, nil if the topic is one: its
// scripts are on the same pages, such as in "python 爬虫", or no page is known yet.
func (s *scripts) halves() *halves {
	if s.on < leastFound || 4*s.both > s.on {
		return nil
	}
	h := &halves{}
	for i := range s.rated {
		h.factor[i] = max(leastAside, s.rated[i].quantile(.95))
		h.best = max(h.best, h.factor[i])
	}
	for i := range s.rated {
		h.factor[i] = h.best / h.factor[i]
	}
	return h
}

// halves make ratings by the words of different scripts comparable. It never changes.
type halves struct {
	factor priority.ByScript // for ratings by the words of each script
	best   float64           // what a page on the topic has then
}

// query returns how a page is rated by the topic's words, 0 to 1: all is its rating by all of them.
func (h *halves) query(all float64, by priority.ByScript) float64 {
	if h == nil {
		return all
	}
	for i, x := range by {
		all = max(all, x*h.factor[i])
	}
	return min(1, all) // all alone for examples of earlier versions
}

// words returns how a link's words are rated by those of the topic.
func (h *halves) words(all float64, by priority.ByScript) float64 {
	if h == nil {
		return all
	}
	return max(all, slices.Max(by[:]))
}

// queryOf returns how an example of the crawl is rated by the topic's words now.
func (j *Judge) queryOf(e *example) float64 {
	return j.halves.Load().query(float64(e.query), e.by)
}

// usually returns what the topic's words give a page on the topic.
func (j *Judge) usually() float64 {
	if h := j.halves.Load(); h != nil {
		return max(usual, h.best)
	}
	return max(usual, j.query.quantile(.95))
}

// compareHalves brings halves up to date, and puts the best pages in order again by it.
func (j *Judge) compareHalves() {
	if j.scripts.rated == nil {
		return
	}
	j.halves.Store(j.scripts.halves())
	slices.SortStableFunc(j.top, func(a, b example) int { return cmp.Compare(j.queryOf(&b), j.queryOf(&a)) })
}

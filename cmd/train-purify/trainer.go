package main

import (
	"math"
	"slices"

	"gatecrawl.example/gatecrawl/purify/body"
	"gatecrawl.example/gatecrawl/purify/forest"
	"gatecrawl.example/gatecrawl/purify/truth"
)

// The recipes were chosen by the folds' figures.
var (
	priorRecipe   = recipe{trees: 100, depth: 3, rate: 0.12, sample: 1 << 20, columns: 0.2, l2: 2}
	ownRecipe     = recipe{trees: 240, depth: 6, rate: 0.1, sample: 30_000, columns: 0.25, l2: 40}
	contextRecipe = recipe{trees: 140, depth: 6, rate: 0.08, sample: 30_000, columns: 0.25, l2: 40}
	kindRecipe    = recipe{trees: 400, depth: 3, rate: 0.06, sample: 1000, columns: 0.1, l2: 2}
)

// rarity increases the weight of rare types when the type of a page with a known body is trained:
// half of all labelled pages are articles, and doubtful pages were called articles. A page is
// weighted by how rare its type is, to this power: with 0 all pages weigh the same, with 1 all
// types do. The types before a body is known are probabilities, used as columns of other models,
// and are not weighted.
const rarity = 0.5

// A sample is one page with its position in the sets.
type sample struct {
	truth.Page
	corpus   string
	specimen *body.Specimen
	from, to int32 // blocks
	fold     int
	drawn    drawn   // how it was made, if it is not a page of the corpora
	row      []uint8 // the page's columns, as the forests see them one after another
	prior    []int32 // scores of the fold's forests for each type before a body is known
	body     string  // the body that the fold's models choose
	kind     string  // the type that they choose
	title    string  // the title that the rules find, given the type
	date     string
	author   string
}

// A trainer holds the corpora as sets.
type trainer struct {
	samples []*sample
	blocks  set
}

// A model is the result of training.
type model struct {
	pageColumns, blockColumns int
	prior, kinds              []*forest.Forest
	own, inContext            *forest.Forest
}

// add adds a page, and those that are made from it.
func (t *trainer) add(corpus string, p *truth.Page) {
	t.addAs(corpus, p, notDrawn)
	t.draw(corpus, p)
}

func (t *trainer) addAs(corpus string, p *truth.Page, drawn drawn) {
	s := &sample{
		Page: *p, corpus: corpus, fold: foldOf(p), drawn: drawn, from: int32(len(t.blocks.label)),
		specimen: body.Dissect(p.URL, []byte(p.HTML), "text/html"),
	}
	s.HTML = ""
	texts := s.specimen.Blocks()
	words := make([][]string, len(texts))
	for i, text := range texts {
		words[i] = truth.Words(text)
	}
	t.blocks.label = append(t.blocks.label, label(words, p.Body)...)
	for _, w := range weights(words, len(truth.Words(p.Body))) {
		t.blocks.weight = append(t.blocks.weight, w*drawn.weight())
	}
	s.to = int32(len(t.blocks.label))
	t.samples = append(t.samples, s)
}

// The weights of a page's blocks. F1 is a mean over pages, so a block weighs its share of the known
// body, up to maxBlock, and a page with a long frame around a short body weighs at most maxPage.
const (
	smooth   = 100 // tokens added to the size of a body
	maxBlock = 0.3
	maxPage  = 2
)

func weights(blocks [][]string, body int) []float32 {
	all := make([]float32, len(blocks))
	var sum float32
	for i, words := range blocks {
		all[i] = min(float32(len(words)+1)/float32(body+smooth), maxBlock)
		sum += all[i]
	}
	if sum > maxPage {
		for i := range all {
			all[i] *= maxPage / sum
		}
	}
	return all
}

// train trains every model on every four of five folds, so that a later model gets the answers of
// earlier ones as on pages of new hosts, and then, if whole is set, on all pages.
func (t *trainer) train(whole bool) *model {
	m := &model{}
	all := func(*sample) bool { return true }

	for _, s := range t.samples {
		s.row = s.specimen.Prior()
	}
	for k := range folds {
		forests := t.kinds(priorRecipe, 0, func(s *sample) bool { return s.fold != k && s.drawn != asPlain })
		for _, s := range t.fold(k) {
			s.prior = scoresOf(forests, s.row)
		}
	}
	if whole {
		m.prior = t.kinds(priorRecipe, 0, func(s *sample) bool { return s.drawn != asPlain })
	}

	t.blocks.columns = t.gather(func(s *sample) [][]uint8 { return s.specimen.Columns(s.prior) })
	first := t.scores(ownRecipe, &t.blocks)
	if whole {
		m.own = ownRecipe.grow(&t.blocks, t.rows(all))
	}

	context := t.gather(func(s *sample) [][]uint8 { return s.specimen.Beside(first[s.from:s.to]) })
	second := &set{columns: slices.Concat(t.blocks.columns, context), label: t.blocks.label, weight: t.blocks.weight}
	final := t.scores(contextRecipe, second)
	if whole {
		m.inContext = contextRecipe.grow(second, t.rows(all))
	}

	for _, s := range t.samples {
		s.body, s.row = s.specimen.Body(final[s.from:s.to], s.prior)
	}
	for k := range folds {
		forests := t.kinds(kindRecipe, rarity, func(s *sample) bool { return s.fold != k })
		for _, s := range t.fold(k) {
			s.kind = surest(scoresOf(forests, s.row))
			s.title, s.date, s.author = s.specimen.Fields(s.kind)
		}
	}
	if whole {
		m.kinds = t.kinds(kindRecipe, rarity, all)
		m.pageColumns, m.blockColumns = len(t.typed()[0].row), len(second.columns)
	}
	return m
}

// gather appends the columns of all samples.
func (t *trainer) gather(of func(*sample) [][]uint8) [][]uint8 {
	var all [][]uint8
	for _, s := range t.samples {
		part := of(s)
		if all == nil {
			all = make([][]uint8, len(part))
		}
		for j := range part {
			all[j] = append(all[j], part[j]...)
		}
	}
	return all
}

// scores returns the scores of a recipe's forests for all blocks; each block is scored by a forest
// trained without its fold.
func (t *trainer) scores(r recipe, s *set) []int32 {
	out := make([]int32, len(s.label))
	for k := range folds {
		f := r.grow(s, t.rows(func(s *sample) bool { return s.fold != k }))
		for _, p := range t.fold(k) {
			copy(out[p.from:p.to], scores(f, s, p.from, p.to))
		}
	}
	return out
}

func (t *trainer) fold(k int) []*sample {
	return slices.DeleteFunc(slices.Clone(t.samples), func(s *sample) bool { return s.fold != k })
}

// rows returns the blocks of the samples that pick selects, without those of plain pages.
func (t *trainer) rows(pick func(*sample) bool) []int32 {
	var rows []int32
	for _, s := range t.samples {
		if pick(s) && s.drawn != asPlain {
			for i := s.from; i < s.to; i++ {
				rows = append(rows, i)
			}
		}
	}
	return rows
}

// typed returns the samples that have text and a type that purify knows.
func (t *trainer) typed() []*sample {
	return slices.DeleteFunc(slices.Clone(t.samples), func(s *sample) bool {
		return s.from == s.to || !slices.Contains(body.Types[:], s.Type)
	})
}

// kinds trains a forest for each type against the others, on the rows of the samples. A page is
// weighted by how rare its type is, to the power of rare.
func (t *trainer) kinds(r recipe, rare float64, pick func(*sample) bool) []*forest.Forest {
	pages := &set{}
	typed := slices.DeleteFunc(t.typed(), func(s *sample) bool { return !pick(s) })
	of := map[string]int{} // pages of the corpora by type
	for _, s := range typed {
		if s.drawn == notDrawn {
			of[s.Type]++
		}
	}
	pages.columns = make([][]uint8, len(typed[0].row))
	rows := make([]int32, len(typed))
	for n, s := range typed {
		rows[n] = int32(n)
		for j, v := range s.row {
			pages.columns[j] = append(pages.columns[j], v)
		}
		lift := math.Pow(float64(len(typed))/float64(of[s.Type]), rare)
		pages.weight = append(pages.weight, s.drawn.weight()*float32(lift))
	}
	pages.label = make([]float32, len(typed))
	forests := make([]*forest.Forest, len(body.Types))
	for i, name := range body.Types {
		for n, s := range typed {
			pages.label[n] = 0
			if s.Type == name {
				pages.label[n] = 1
			}
		}
		forests[i] = r.grow(pages, rows)
	}
	return forests
}

// scoresOf returns the score of a page by each type's forest, or zeros for a page without text.
func scoresOf(forests []*forest.Forest, row []uint8) []int32 {
	scores := make([]int32, len(forests))
	for i, f := range forests {
		if row != nil {
			scores[i] = f.Score(row)
		}
	}
	return scores
}

func surest(scores []int32) string {
	best := 0
	for i, v := range scores {
		if v > scores[best] {
			best = i
		}
	}
	return body.Types[best]
}

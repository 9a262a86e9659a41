package purify

import (
	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// A Specimen is a page as the models see it. It serves cmd/train-purify, which
// trains them, and holds memory of its own.
type Specimen struct {
	ch  chooser
	m   metadata
	url string
}

// Dissect reads a page as PurifyAt does and stops before a model is asked.
func Dissect(url string, page []byte, contentType string) *Specimen {
	text, _ := charset.Decode(page, contentType)
	s := &Specimen{url: url}
	o := new(outline)
	o.reset()
	o.read(text, markup.IsXML(contentType, text))
	s.m = readMetadata(o.head.markup)
	o.shed()
	s.ch.outline = o
	if len(s.ch.blocks) > 0 {
		s.ch.count(&s.m)
	}
	return s
}

// Blocks returns the texts of the blocks.
func (s *Specimen) Blocks() []string {
	texts := make([]string, len(s.ch.blocks))
	for i := range texts {
		texts[i] = string(s.ch.textOf(i))
	}
	return texts
}

// Hunch returns the page's columns before a body is known, nil without blocks.
func (s *Specimen) Hunch() []uint8 {
	if len(s.ch.blocks) == 0 {
		return nil
	}
	return append([]uint8(nil), s.ch.kindRow(&s.m, "", nil)...)
}

// Columns returns the columns of the first step, a byte a block, given the
// scores that Hunch has.
func (s *Specimen) Columns(hunch []int32) [][]uint8 {
	if len(s.ch.blocks) == 0 {
		return make([][]uint8, blockColumns)
	}
	s.ch.count(&s.m) // anew, since columns use parts of it up
	t := s.ch.columns(&s.ch.census, &s.m, (*[kinds]int32)(hunch))
	return between(t, 0, blockColumns)
}

// Beside returns the columns that the second step has besides, given the
// scores of the first.
func (s *Specimen) Beside(scores []int32) [][]uint8 {
	if len(s.ch.blocks) == 0 {
		return make([][]uint8, lookColumns)
	}
	t := &s.ch.room.table
	t.clearFrom(blockColumns)
	s.ch.look(t, scores)
	return between(t, blockColumns, lookEnd)
}

// between returns the columns of a table from one to another.
func between(t *table, from, to int) [][]uint8 {
	all := make([][]uint8, to-from)
	for j := range all {
		all[j] = t.column(from + j)
	}
	return all
}

// Body returns the body that scores of the second step choose, given the scores
// that Hunch has, and the page's columns with it, nil without blocks.
func (s *Specimen) Body(scores, hunch []int32) (body string, row []uint8) {
	if len(s.ch.blocks) == 0 {
		return "", nil
	}
	kept := s.ch.decide(scores, (*[kinds]int32)(hunch))
	return s.ch.join(kept), append([]uint8(nil), s.ch.kindRow(&s.m, s.url, kept)...)
}

// Fields returns what rules find on the page, if it is of a kind: its title, its
// date and its author.
func (s *Specimen) Fields(kind string) (title, date, author string) {
	return titleOf(s.ch.outline, &s.m, kind, s.url), dateOf(s.ch.outline, &s.m, s.url), authorOf(s.ch.outline, &s.m, s.url)
}

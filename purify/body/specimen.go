package body

import (
	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/forest"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

// A Specimen is a page as the models see it, for cmd/train-purify, which trains them. It has memory
// of its own.
type Specimen struct {
	ch  Chooser
	m   metadata.Declared
	url string
}

// Dissect reads a page as PurifyAt does, up to the point where a model is asked.
func Dissect(url string, page []byte, contentType string) *Specimen {
	text, _ := charset.Decode(page, contentType)
	s := &Specimen{url: url}
	o := new(blocks.Outline)
	o.Reset()
	o.Read(text, markup.IsXML(contentType, text))
	s.m = metadata.Read(o.Head.Markup)
	o.Shed()
	s.ch.Outline = o
	if len(s.ch.Blocks) > 0 {
		s.ch.count(&s.m)
	}
	return s
}

// Blocks returns the texts of the blocks.
func (s *Specimen) Blocks() []string {
	texts := make([]string, len(s.ch.Blocks))
	for i := range texts {
		texts[i] = string(s.ch.BlockText(i))
	}
	return texts
}

// Prior returns the page's columns before a body is known; nil if there are no blocks.
func (s *Specimen) Prior() []uint8 {
	if len(s.ch.Blocks) == 0 {
		return nil
	}
	return append([]uint8(nil), s.ch.pageRow(&s.m, "", nil)[:pageKept]...)
}

// Columns returns the columns of the first step for each block. hunch are the scores of the Priors.
func (s *Specimen) Columns(hunch []int32) [][]uint8 {
	if len(s.ch.Blocks) == 0 {
		return make([][]uint8, blockColumns)
	}
	s.ch.count(&s.m) // again, since columns use parts of it up
	t := s.ch.columns(&s.ch.census, &s.m, (*[typeCount]int32)(hunch))
	return between(t, 0, blockColumns)
}

// Beside returns the columns that only the second step has, given the scores of the first.
func (s *Specimen) Beside(scores []int32) [][]uint8 {
	if len(s.ch.Blocks) == 0 {
		return make([][]uint8, lookColumns)
	}
	t := &s.ch.buf.table
	t.ClearFrom(blockColumns)
	s.ch.look(t, scores)
	return between(t, blockColumns, lookEnd)
}

// between returns the columns of a table from one to another.
func between(t *forest.Table, from, to int) [][]uint8 {
	all := make([][]uint8, to-from)
	for j := range all {
		all[j] = t.Column(from + j)
	}
	return all
}

// Body returns the body that results from scores of the second step, and the page's columns with
// this body; nil if there are no blocks. hunch are the scores of the Priors.
func (s *Specimen) Body(scores, hunch []int32) (body string, row []uint8) {
	if len(s.ch.Blocks) == 0 {
		return "", nil
	}
	kept := s.ch.decide(scores, (*[typeCount]int32)(hunch))
	row = append(row, s.ch.pageRow(&s.m, s.url, kept)...)
	s.ch.KeepSections(kept, &s.m, s.ch.Type(&s.m, s.url, kept)) // by the compiled model of types: that of a fold is not known yet
	s.ch.Trim(kept)
	return s.ch.Join(kept), row
}

// Fields returns the title, the date and the author of the page, assuming that it is of this type.
func (s *Specimen) Fields(kind string) (title, date, author string) {
	return metadata.Title(s.ch.Outline, &s.m, kind, s.url, metadata.Known{}), metadata.Date(s.ch.Outline, &s.m, kind, s.url, metadata.Known{}), metadata.Author(s.ch.Outline, &s.m, s.url)
}

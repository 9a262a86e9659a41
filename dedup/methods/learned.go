package methods

import (
	"maps"
	"math"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/splitmix"
)

// need is what a method learns of a collection before it signs.
type need uint8

const (
	needNothing need = 0
	needWords   need = 1 << iota // how many documents have a word
	needTerms                    // the same, of words and pairs of characters
	needGraph                    // the links between the documents, and a value of each
	needLinks                    // the links of a document that is signed
)

// NeedsLinks reports whether a method looks at the Links of documents.
func NeedsLinks(m Scalable) bool { return m.needs()&(needGraph|needLinks) != 0 }

// maxLexicon is how many words a Collection counts, at some 40 bytes each. Where there are
// more those are dropped that were met least: lossy counting (Manku and Motwani 2002). The
// number of documents that a word is in is then too small by no more than the number of
// droppings.
const maxLexicon = 1 << 21

// A Collection is what a method learns of the documents that it is to sign: in how many
// of them each word is, and who links to whom.
type Collection struct {
	needs need
	docs  int
	words map[uint64]uint32
	drops uint32
	most  int        // words
	table *dedup.IDF // in place of words; nil: they are counted
	graph *graph
}

// NewCollection returns a Collection that has learned nothing. With a table of another
// collection words are not counted.
func NewCollection(m Scalable, table *dedup.IDF) *Collection {
	c := &Collection{needs: m.needs(), most: maxLexicon, words: make(map[uint64]uint32), table: table}
	if c.needs&needGraph != 0 {
		c.graph = newGraph()
	}
	return c
}

// Passes is how often all documents have to be shown to Learn, in the same order.
func (c *Collection) Passes() int {
	switch {
	case c.needs&needGraph != 0:
		return 2
	case c.needs&(needWords|needTerms) != 0 && c.table == nil:
		return 1
	}
	return 0
}

// A Lesson is what is learned of a document.
type Lesson struct {
	terms []uint64
	node  node
}

// Lesson reads a document. It may be called from many goroutines.
func (c *Collection) Lesson(pass int, d Document) Lesson {
	var l Lesson
	if pass == 0 && c.table == nil && c.needs&(needWords|needTerms) != 0 {
		l.terms = set(c.features(d.Body))
	}
	if c.graph != nil {
		l.node = c.graph.read(pass, d)
	}
	return l
}

// Learn takes in the lesson of a document, in the order of the documents.
func (c *Collection) Learn(pass int, l Lesson) {
	if pass == 0 {
		c.docs++
	}
	for _, t := range l.terms {
		c.words[t]++
	}
	if len(c.words) > c.most {
		c.drops++
		maps.DeleteFunc(c.words, func(_ uint64, n uint32) bool { return n <= c.drops })
	}
	if c.graph != nil {
		c.graph.learn(pass, l.node)
	}
}

// features returns the words of a body that the method counts, with repetitions.
func (c *Collection) features(body string) []uint64 {
	tokens := tokensOf(body)
	if c.table != nil {
		for i := range tokens {
			tokens[i].hash = tokens[i].named
		}
	}
	if c.needs&needTerms != 0 {
		return termsOf(tokens, c.table != nil)
	}
	hashes := make([]uint64, len(tokens))
	for i, t := range tokens {
		hashes[i] = t.hash
	}
	return hashes
}

// tallies returns the words of a body with their numbers.
func (c *Collection) tallies(body string) []tally { return tallied(c.features(body)) }

// size is the number of documents, or of those of the table.
func (c *Collection) size() float64 {
	if c.table != nil {
		return float64(c.table.Pages())
	}
	return float64(c.docs)
}

// frequency is in how many documents a word is, 1 or more.
func (c *Collection) frequency(term uint64) float64 {
	if c.table != nil {
		return max(1, c.table.Frequency(term))
	}
	return float64(max(1, c.words[term]))
}

// idf is log (1 + N/df).
func (c *Collection) idf(term uint64) float64 { return math.Log1p(c.size() / c.frequency(term)) }

// named is the hash of a token in the tables of package dedup.
func named(word []byte, single bool) uint64 {
	if !single {
		return xxhash.Sum64(word)
	}
	r, _ := utf8.DecodeRune(word)
	return splitmix.Mix(uint64(r))
}

// namedPair is the name of two characters in such a table.
func namedPair(a, b uint64) uint64 { return splitmix.Mix(a ^ splitmix.Mix(b)) }

package words

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// A Collection says how rare words are in a collection, such as the pages of a crawl. As long as
// views are compared it must give the same answers, and it must be safe for concurrent use.
type Collection interface {
	// Rarity returns the IDF of a word: ln(all/with) if `with` of `all` documents have it, so 0 for
	// a word of every page. The word is in lower case; for Chinese, Japanese and Korean it is a
	// pair of characters.
	Rarity(word string) float64
}

// commonFile has a line for each level: the IDF in quarters, a colon, the words
// of that IDF. The first line's is that of the words that are not in it. See
// TestFitCommonWords.
//
//go:embed commonwords.txt
var commonFile string

// common returns the table for views without a Collection. It is read at the first call, since most
// commands do not need it.
var common = sync.OnceValue(func() *commonWords { return readCommon(commonFile) })

// commonWords is a table of words and how rare they are.
type commonWords struct {
	idf  map[string]float32
	rare float32 // IDF of the words that are not in it
}

// readCommon panics if the file is broken, which a test would have found.
func readCommon(file string) *commonWords {
	c := &commonWords{idf: make(map[string]float32, strings.Count(file, " "))}
	for line := range strings.Lines(file) {
		level, words, _ := strings.Cut(line, ":")
		quarters, err := strconv.Atoi(level)
		if err != nil {
			panic("commonwords.txt: " + err.Error())
		}
		c.rare = max(c.rare, float32(quarters)/4)
		for word := range strings.FieldsSeq(words) {
			c.idf[word] = float32(quarters) / 4
		}
	}
	return c
}

// rarity returns the IDF of a word.
func (c *commonWords) rarity(word []byte) float64 {
	if idf, ok := c.idf[string(word)]; ok {
		return float64(idf)
	}
	return float64(c.rare)
}

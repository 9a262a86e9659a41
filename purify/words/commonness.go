package words

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// Collection says how rare words are in a collection, such as the pages of a crawl.
// It must give the same answers for as long as views are compared, and to many
// goroutines at once.
type Collection interface {
	// Rarity returns the IDF of a word, ln(all/with) for one that so many of
	// all documents have: 0 for a word of every page. The word is in lower case;
	// of Chinese, Japanese and Korean it is a pair of characters.
	Rarity(word string) float64
}

// commonFile has a line for each level: the IDF in quarters, a colon, the words
// of that IDF. The first line's is that of the words that are not in it. See
// TestFitCommonWords.
//
//go:embed commonwords.txt
var commonFile string

// common returns the table for views without a collection of their own. It is read at the
// first call: most commands need none.
var common = sync.OnceValue(func() *commonWords { return readCommon(commonFile) })

// commonWords are the words of a table with how rare they are.
type commonWords struct {
	idf  map[string]float32
	rare float32 // IDF of the words that are not in it
}

// readCommon panics where the file is broken, which a test would have seen.
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

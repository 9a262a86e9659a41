package words

import (
	_ "embed"
	"strconv"
	"strings"
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

// common is the table for want of a better one.
var common = readCommon(commonFile)

type commonWords struct {
	idf  map[string]float32
	rare float32 // IDF of the words that are not in it
}

// readCommon panics where the file is broken, which a test would have seen.
func readCommon(file string) commonWords {
	c := commonWords{idf: make(map[string]float32, strings.Count(file, " "))}
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

// idfOf returns the IDF of a word in a collection, or in the common one for nil.
func idfOf(words Collection, word []byte) float64 {
	if words == nil {
		if idf, ok := common.idf[string(word)]; ok {
			return float64(idf)
		}
		return float64(common.rare)
	}
	return words.Rarity(string(word))
}

package dedup

import (
	"strings"

	"gatecrawl.example/gatecrawl/dedup/passage"
)

// quotesApart reports whether one of two pages of one host quotes the other: an answer to a mail
// has each line of the mail after one more ">".
func quotesApart(a, b *reading) bool {
	if a.text.Host != b.text.Host {
		return false // archives may differ in how they mark quotes
	}
	x, y := a.text.Body, b.text.Body
	more := strings.Count(x, ">") - strings.Count(y, ">")
	if more < 0 {
		x, y, more = y, x, -more
	}
	least := max(leastQuoted, min(len(a.words), len(b.words))/wordsQuoted)
	return more >= least && passage.Quoted(x, y) >= least
}

// One page quotes another if it has leastQuoted lines of it after one more mark, and one line for
// each wordsQuoted different words: a third of the lines of a mail.
const (
	leastQuoted = 3
	wordsQuoted = 30
)

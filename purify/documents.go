package purify

import (
	"cmp"
	"strings"

	"gatecrawl.example/gatecrawl/purify/document"
	"gatecrawl.example/gatecrawl/purify/metadata"
	"gatecrawl.example/gatecrawl/purify/words"
)

// The properties of a Word or OpenDocument file are often those of the file that it was made from: the minutes of June
// have the title of those of March. Where they contradict the first lines, the first lines count.

// A document's day is looked for in so many lines, of at most so many bytes each: longer ones are paragraphs.
const (
	dayLines   = 8
	dayLine    = 200
	mostOfName = 200 // bytes of a title
	nameLines  = 3   // of which a title is put together
)

// declare gives a view of a document the day that its first lines name, and the title that it declares, unless its first lines
// name another day than that title, or have all words of it and a day.
func (v *DocView) declare(k document.Kind, declared string) {
	if k == document.EPUB { // a book's own title is right, and its first lines may name days of other editions
		v.Title = cmp.Or(declared, v.Title)
		return
	}
	lines := strings.SplitN(v.Body, "\n", dayLines+1)
	lines = lines[:min(len(lines), dayLines)]
	at, day := 0, ""
	for ; at < len(lines) && len(lines[at]) <= dayLine; at++ {
		if day = metadata.DayIn([]byte(lines[at]), v.Lang); day != "" {
			break
		}
	}
	v.Date = day
	if declared == "" {
		return
	}
	first := v.Title
	v.Title = declared
	if day == "" {
		return
	}
	own := words.Set(declared)
	from := 0
	for from < at && words.Common(words.Set(lines[from]), own) == 0 {
		from++
	}
	headline := strings.Join(lines[from:at+1], " ")
	switch was := metadata.DayIn([]byte(declared), v.Lang); {
	case was == "" && words.Common(own, words.Set(headline)) < own.Len(), was == day:
		return
	case was != "" && words.Common(own, words.Set(headline)) == 0:
		return // it is about another thing, or in other letters
	case was == "" && at-from >= nameLines:
	case len(headline) <= mostOfName:
		v.Title = headline
	case first != "":
		v.Title = first
	}
}

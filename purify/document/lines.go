package document

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lines joins characters to lines, and lines to paragraphs. A page says where its characters are,
// and often has no spaces: a gap of more than a sixth of their height is taken for a space.
type lines struct {
	out  strings.Builder // complete pages
	page []line
	size int // bytes of page
}

// A line of a page. Positions are in units of the page; y grows upwards.
type line struct {
	text    strings.Builder
	x, y    float64 // where it starts; y is that of most of its characters
	endX    float64
	endY    float64
	height  float64 // of most of its characters
	most    int     // a count of bytes with that height, see place
	word    float64 // width of its first word
	spaced  bool    // the first word is complete
	hyphen  string  // at its end: the word continues in the next line
	leading float64 // distance from the line above; 0: it is not below that one
	visual  int     // characters from right to left that were drawn from left to right, less those that were not
}

// length returns how many bytes there are.
func (l *lines) length() int { return l.out.Len() + l.size }

// place adds characters that extend from x, y to endX, endY.
func (l *lines) place(s string, x, y, endX, endY, height float64) {
	height = max(height, .1)
	at := l.last()
	if at != nil {
		switch dx, dy := x-at.endX, y-at.endY; {
		case math.Abs(dy) > max(height, at.height)/2 || dx < -20*height:
			at = nil
		case dx > height/6:
			l.size += len(at.hyphen) + 1
			at.text.WriteString(at.hyphen + " ")
			at.hyphen, at.spaced = "", true
		}
	}
	if at == nil {
		l.page = append(l.page, line{x: x, y: y})
		at = l.last()
	} else if r, _ := utf8.DecodeRuneInString(s); isRTL(r) {
		if at.visual++; x < at.endX-height/2 {
			at.visual -= 2
		}
	}
	at.write(s, y, endX, endY, height)
	l.size += len(s)
}

func (l *lines) last() *line {
	if len(l.page) == 0 {
		return nil
	}
	return &l.page[len(l.page)-1]
}

func (at *line) write(s string, y, endX, endY, height float64) {
	at.text.WriteString(at.hyphen)
	at.hyphen = ""
	if !at.spaced {
		before, _, found := strings.Cut(s, " ")
		if at.spaced = found && (before != "" || at.text.Len() > 0); found && s != "" {
			at.word += (endX - at.x - at.word) * float64(len(before)) / float64(len(s))
		} else {
			at.word = endX - at.x
		}
	}
	switch near := math.Abs(height-at.height) <= at.height*sameHeight; {
	case near:
		at.most += len(s)
	case len(s) > at.most:
		at.height, at.most, at.y = height, len(s), y // the number of a footnote is above its line
	default:
		at.most -= len(s) // as in the vote of Boyer and Moore
	}
	for _, hyphen := range []string{"-", softHyphen, "\u2010"} {
		if rest, ok := strings.CutSuffix(s, hyphen); ok && (endsInLetter(rest) || rest == "" && endsInLetter(at.text.String())) {
			s, at.hyphen = rest, hyphen
		}
	}
	at.text.WriteString(s)
	at.endX, at.endY = endX, endY
}

const softHyphen = "\u00ad"

func startsLower(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

func endsInLetter(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r)
}

// The measures that tell where a paragraph starts, in heights of the line's characters unless they
// say otherwise. They follow typesetters: TeX and Word put a sixth of the leading or more between
// paragraphs that are not indented, and indent by an em or more.
const (
	sameHeight = .12 // share by which the heights of characters in one text differ, at most
	wideGap    = 1.2 // times the usual leading of lines of that height
	loose      = 2   // leading that counts as wide on a page with too few lines to tell
	indented   = .7
	column     = 8 // characters wide, at least
)

// endPage ends a paragraph and a page.
func (l *lines) endPage() {
	for i := range l.page {
		l.page[i].leading = 0
		if i > 0 {
			if d := l.page[i-1].y - l.page[i].y; d > 0 {
				l.page[i].leading = d
			}
		}
	}
	right := rightEdges(l.page)
	usual := usualLeading(l.page)
	start := 0 // of the paragraph
	for i := range l.page {
		if i > 0 {
			hyphen := l.page[i-1].hyphen
			switch {
			case startsParagraph(l.page, start, i, right[i-1], usual):
				l.out.WriteString(hyphen + paragraphEnds)
				start = i
			case hyphen == "":
				l.out.WriteByte('\n')
			case hyphen != softHyphen && !startsLower(l.page[i].text.String()):
				l.out.WriteString(hyphen) // as in Debian-Archiv
			}
		}
		l.out.WriteString(l.page[i].read())
	}
	if at := l.last(); at != nil {
		l.out.WriteString(at.hyphen)
	}
	l.out.WriteString(paragraphEnds)
	l.page, l.size = l.page[:0], 0
}

// read returns the text of a line in the order in which it is read.
func (at *line) read() string {
	if at.visual > 0 {
		return logical(at.text.String())
	}
	return at.text.String()
}

// usualLeading returns the usual leading of a page's lines, in heights of their characters: the
// lower quartile, since gaps are wider; 0 if there are too few lines to tell.
func usualLeading(page []line) float64 {
	var all []float64
	for i := 1; i < len(page); i++ {
		if r := page[i].leading / page[i].height; page[i].follows(&page[i-1]) && r > .5 && r < 3 {
			all = append(all, r)
		}
	}
	if len(all) < 3 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/4]
}

// follows reports whether a line is below another one of the same size.
func (at *line) follows(before *line) bool {
	return at.leading > 0 && math.Abs(at.height-before.height) <= sameHeight*max(at.height, before.height)
}

// rightEdges returns for each line where the lines of its column end. That is the position that
// nine in ten lines do not exceed, since headings and lines of code are shorter, and a table may
// stick out. A column ends before a line that is above the previous one.
func rightEdges(page []line) []float64 {
	edges := make([]float64, len(page))
	for from := 0; from < len(page); {
		to := from + 1
		for to < len(page) && page[to].leading > 0 {
			to++
		}
		ends := make([]float64, 0, to-from)
		for i := from; i < to; i++ {
			ends = append(ends, page[i].endX)
		}
		slices.Sort(ends)
		for i := from; i < to; i++ {
			edges[i] = ends[len(ends)*9/10]
		}
		from = to
	}
	return edges
}

// startsParagraph reports whether the line at i starts a new paragraph, that is, does not continue
// the one that starts at start. right is where the lines of the column end.
func startsParagraph(page []line, start, i int, right, usual float64) bool {
	before, at := &page[i-1], &page[i]
	full := right-before.endX < at.word+at.height/4 // the next line's first word did not fit
	ends := endsSentence(before.text.String()) && before.hyphen == ""
	switch {
	case at.leading == 0: // another column, or text that floats
		return !full || ends || right-before.x < column*at.height
	case !at.follows(before):
		return true
	case usual > 0 && at.leading > wideGap*usual*at.height && !(full && setAlike(page, i)), usual == 0 && at.leading > loose*at.height:
		return true
	case before.hyphen != "":
		return false
	case startsItem(at.text.String()) && (!full || ends):
		return true
	}
	switch left := at.x - before.x; {
	case left > indented*at.height: // an indented first line, or the second line of an item
		return i-1 > start || !full || ends
	case left < -indented*at.height: // back from an indented first line, or from an item
		return i-1 > start || !full
	}
	return !full && ends
}

// setAlike reports whether the line at i is as far below the previous one as that one is below its
// own, or as the next line is: then the text is set wider than the rest of the page.
func setAlike(page []line, i int) bool {
	alike := func(j int) bool {
		return j > 0 && j < len(page) && page[j].follows(&page[j-1]) && math.Abs(page[j].leading-page[i].leading) < .05*page[i].leading
	}
	return alike(i-1) || alike(i+1)
}

// endsSentence reports whether a line ends as sentences do.
func endsSentence(text string) bool {
	text = strings.TrimRight(text, " \"'”’»)]")
	r, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".!?:;…。！？：；", r)
}

// startsItem reports whether a line starts with the mark of a list item. Symbol fonts have their
// marks in Unicode's private use area.
func startsItem(text string) bool {
	mark, rest, _ := strings.Cut(strings.TrimLeft(text, " "), " ")
	switch r, size := utf8.DecodeRuneInString(mark); {
	case rest == "":
		return false
	case size == len(mark) && strings.ContainsRune("•·‣◦▪■●○–—-*∗➢✓\uf0b7\ufffd", r):
		return true
	}
	number := strings.TrimRight(strings.TrimLeft(mark, "(["), ".)]")
	return number != mark && len(number) <= 3 && strings.Trim(number, "0123456789") == "" && number != ""
}

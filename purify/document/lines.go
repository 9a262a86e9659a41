package document

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lines puts characters that stand somewhere on pages into lines, and lines into paragraphs. A page
// says where its characters stand, and often has no spaces: a gap of more than a sixth of their
// height is one.
type lines struct {
	out  strings.Builder // whole pages
	page []line
	size int // bytes of page
}

// A line of a page. Its measures are the page's; y grows upwards.
type line struct {
	text    strings.Builder
	x, y    float64 // where it starts; y is that of most of its characters
	endX    float64
	endY    float64
	height  float64 // of most of its characters
	most    int     // bytes with that height
	word    float64 // width of its first word
	spaced  bool    // the first word is complete
	hyphen  string  // at its end: the word goes on in the next line
	leading float64 // from the line above; 0: it does not stand below that one
}

// length is how many bytes there are.
func (l *lines) length() int { return l.out.Len() + l.size }

// place writes characters that stand from x, y to endX, endY.
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
		at.height, at.most, at.y = height, len(s), y // the number of a footnote stands above its line
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

// The measures by which a line starts a paragraph, in heights of its characters unless they say
// otherwise. They are those of the typesetters: TeX and Word put a sixth of the leading or more
// between paragraphs that are not indented, and indent by an em or more.
const (
	sameHeight = .12 // share by which the heights of characters of one text differ
	wideGap    = 1.2 // times the usual leading of the page's lines of that height
	loose      = 2   // leading that is wide where a page has too few lines to tell
	indented   = .7
	column     = 8 // characters wide, at least
)

// endPage ends a paragraph, and a page.
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
				l.out.WriteString(hyphen) // Debian-Archiv
			}
		}
		l.out.WriteString(l.page[i].text.String())
	}
	if at := l.last(); at != nil {
		l.out.WriteString(at.hyphen)
	}
	l.out.WriteString(paragraphEnds)
	l.page, l.size = l.page[:0], 0
}

// usualLeading returns the leading that most lines of a page have, in heights of their characters:
// the lower quartile, since gaps are wider; 0: there are too few lines to tell.
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

// follows reports whether a line stands below another of the same size.
func (at *line) follows(before *line) bool {
	return at.leading > 0 && math.Abs(at.height-before.height) <= sameHeight*max(at.height, before.height)
}

// rightEdges returns for each line where the lines of its column end: where nine in ten of them end,
// as headings and lines of code are short, and a table may stick out. A column goes on until a
// line stands above the one before.
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

// startsParagraph reports whether the line at i does not go on with the paragraph that starts at
// start, where lines end at right.
func startsParagraph(page []line, start, i int, right, usual float64) bool {
	before, at := &page[i-1], &page[i]
	full := right-before.endX < at.word+at.height/4 // the next word had no room
	ends := endsSentence(before.text.String()) && before.hyphen == ""
	switch {
	case at.leading == 0: // another column, or what floats
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
	case left > indented*at.height: // a first line that is indented, or the second of an item
		return i-1 > start || !full || ends
	case left < -indented*at.height: // back from an indented first line, or from an item
		return i-1 > start || !full
	}
	return !full && ends
}

// setAlike reports whether the line at i stands as far below the one before as that one, or the next,
// does: a text that is set wider than the rest of its page.
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

// startsItem reports whether a line starts with the mark of an item of a list. Symbol fonts have their
// marks where Unicode has none.
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

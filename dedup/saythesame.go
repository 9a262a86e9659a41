package dedup

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"gatecrawl.example/gatecrawl/purify"
)

// mostBeside is the largest share of a page, in bytes, that may stand outside its body and on no other page that says the same.
const mostBeside = 0.25

// SayTheSame reports whether two pages say the same in the same words, without what either of their sites repeats. Lines may stand in
// another order, what one page has on several lines may be on one line of the other, and a line that only one of the two is compared by may
// stand anywhere on the other page, such as a heading that is that page's title. Either may have lines next to its text that the other
// lacks: see areBeside. If such a line resembles one that the other page alone has, it may be that line altered, and the two say different things.
func SayTheSame(a, b *Text) bool {
	c, d := cmp.Or(a.framedBy(b), a), cmp.Or(b.framedBy(a), b)
	switch {
	case c.Thin && !d.Thin: // the links of a page that says little are compared too
		d = d.other()
	case d.Thin && !c.Thin:
		c = c.other()
	}
	switch {
	case c.reading().resemblance(d.reading()) == 1:
		return true
	case c.Body == "" || d.Body == "":
		return false
	}
	onlyC, onlyD := c.linesWithout(d), d.linesWithout(c)
	c.cutLinks(onlyC, onlyD)
	d.cutLinks(onlyD, onlyC)
	return c.areBeside(onlyC, d) && d.areBeside(onlyD, c) && !mayBeAltered(onlyC, onlyD)
}

// A loneLine is a line that stands on one of two pages.
type loneLine struct {
	text  string
	last  bool     // no line but links comes behind it
	leads bool     // it is a link, and such ones are not compared
	words []string // those that are no link on a line of the other page; "" is where some were
}

// linesWithout returns the lines of a text that do not stand on the page of another one, as often as here.
func (t *Text) linesWithout(other *Text) (only []loneLine) {
	there := map[uint64]int{lineHash(other.Title, false): 1}
	for i := range other.blocks {
		there[lineHash(other.blocks[i].Text, other.blocks[i].Linked)]++
	}
	if len(other.blocks) == 0 {
		other.eachLine(func(_ string, hash uint64) { there[hash]++ })
	}
	links, leads := make(map[string]bool), make(map[string]bool)
	without, says := t.withoutLinks(), t.bodySays()
	for i := range t.blocks {
		b := &t.blocks[i]
		links[b.Text] = b.Linked
		leads[b.Text] = b.Linked && (without || says && !b.Chosen)
	}
	last := 0 // of only, the first line that no other but links comes behind
	t.eachLine(func(line string, hash uint64) {
		if !links[line] {
			last = len(only)
		}
		if there[hash]--; there[hash] < 0 {
			only = append(only, loneLine{text: line, leads: leads[line], words: lineTokens(line)})
		}
	})
	for i := range only[last:] {
		only[last+i].last = true
	}
	return only
}

// lineTokens returns the words and numbers of a line.
func lineTokens(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
}

// cutLinks removes links of a text, and its title, that stand within a line of another page, there and here: one layout has on a line
// each what another one has in a bar.
func (t *Text) cutLinks(mine, theirs []loneLine) {
	with := make(map[string][]int) // the lines with a word
	for i := range theirs {
		for _, w := range theirs[i].words {
			if at := with[w]; len(at) == 0 || at[len(at)-1] != i {
				with[w] = append(at, i)
			}
		}
	}
	cut := func(phrase []string) bool {
		for _, i := range with[phrase[0]] {
			words := theirs[i].words
			for at := 0; at+len(phrase) <= len(words); at++ {
				if slices.Equal(words[at:at+len(phrase)], phrase) {
					theirs[i].words = slices.Replace(words, at, at+len(phrase), "")
					return true
				}
			}
		}
		return false
	}
	for i := range mine {
		if l := &mine[i]; l.leads && len(l.words) > 0 && !slices.Contains(l.words, "") && cut(l.words) {
			l.words = nil
		}
	}
	if title := lineTokens(t.Title); len(title) > 0 {
		cut(title)
	}
}

// left returns what is left of a line.
func (l *loneLine) left() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(l.words), func(w string) bool { return w == "" }), " ")
}

// isLink reports whether a line is a link or what is left of a bar of links.
func (l *loneLine) isLink() bool { return l.leads || slices.Contains(l.words, "") }

// areBeside reports whether lines of a text are next to it, and but for links and its day no large part of it.
func (t *Text) areBeside(lines []loneLine, other *Text) bool {
	size, whole := 0, len(t.Body)
	framing := t.framing(lines)
	for i := range lines {
		left := lines[i].left()
		switch {
		case lines[i].leads:
			whole -= len(lines[i].text)
		case left == "" || t.tellsDay(&lines[i], other):
		case !framing[lines[i].text]:
			return false
		default:
			size += len(left)
		}
	}
	return whole > 0 && float64(size) <= mostBeside*float64(whole)
}

// withoutLinks reports whether a page says enough outside links for these not to be compared. On a list of links they are what it says.
func (t *Text) withoutLinks() bool {
	linked := 0
	for i := range t.blocks {
		if b := &t.blocks[i]; b.Linked && !t.isExcluded(i) {
			linked += len(lineWords(b.Text))
		}
	}
	return t.plain >= leastSaid && t.plain >= linked
}

// bodySays reports whether a page's body says more outside links than in them. Then links outside the body lead to other pages, however brief it is.
func (t *Text) bodySays() bool {
	says, linked := 0, 0
	for i := range t.blocks {
		switch b := &t.blocks[i]; {
		case !b.Chosen || t.isExcluded(i):
		case b.Linked:
			linked += len(lineWords(b.Text))
		default:
			says += len(lineWords(b.Text))
		}
	}
	return says > linked
}

// framing returns which lines are not of what their page says: they stand outside the body, or have the form of what the site repeats.
func (t *Text) framing(lines []loneLine) map[string]bool {
	framing := make(map[string]bool, len(lines))
	for i := range lines {
		framing[lines[i].text] = false
	}
	for i := range t.blocks {
		b := &t.blocks[i]
		if is, lone := framing[b.Text]; lone && !is {
			framing[b.Text] = !b.Chosen || t.framesForm(b)
		}
	}
	return framing
}

// tellsDay reports whether a line is brief and names the day of its page, or that of the other one, or is the last one and names a day.
func (t *Text) tellsDay(l *loneLine, other *Text) bool {
	if !strings.ContainsAny(l.text, digits) || len(l.words) > maxSubject {
		return false
	}
	day := purify.DayIn(l.text, t.Lang)
	return day != "" && (l.last || day == t.day || day == other.day)
}

// mayBeAltered reports whether one of two pages' lone lines may be one of the other with another word or number.
func mayBeAltered(mine, theirs []loneLine) bool {
	if len(mine) == 0 || len(theirs) == 0 {
		return false
	}
	a, b := phrasesOf(mine), phrasesOf(theirs)
	for i := range a {
		if slices.ContainsFunc(b, a[i].isLike) {
			return true
		}
	}
	return false
}

// A phrase is what is compared of a lone line with each of another page.
type phrase struct {
	words   map[string]bool
	numbers bool // it is mostly numbers
	link    bool
	day     string  // "" if it names none
	undated *phrase // it without its day, nil if it says no more or names no day
}

// phrasesOf returns what is left of lines, without those of which nothing is.
func phrasesOf(lines []loneLine) []phrase {
	all := make([]phrase, 0, len(lines))
	of := func(text string, link bool) phrase {
		return phrase{words: lineWords(text), numbers: isMostlyNumbers(text), link: link}
	}
	for i := range lines {
		left := lines[i].left()
		if left == "" {
			continue
		}
		p := of(left, lines[i].isLink())
		if p.day = purify.DayIn(lines[i].text, ""); p.day != "" {
			if rest := purify.Unnumbered(left); rest != "#" {
				undated := of(rest, p.link)
				p.undated = &undated
			}
		}
		all = append(all, p)
	}
	return all
}

// isLike reports whether a third of the words of the shorter one of two lines are common, or both have numbers and hardly anything else. The day
// that both name is nothing common, nor is the month if they name two. Of two bars of links most words have to be common.
func (p *phrase) isLike(other phrase) bool {
	if p.link != other.link {
		return false
	}
	if p.day != "" && other.day != "" {
		if p.undated == nil || other.undated == nil {
			return p.day != other.day
		}
		return p.undated.isLike(*other.undated)
	}
	a, b := p.words, other.words
	if len(b) < len(a) {
		a, b = b, a
	}
	common := inBoth(a, b)
	if p.link {
		return common >= leastInBar && 3*common >= 2*len(b)
	}
	return 3*common >= len(a) || p.numbers && other.numbers
}

// leastInBar is how many words two bars of links have in common at least if one of them is the other altered: the titles of two pages may have fewer.
const leastInBar = 4

const digits = "0123456789"

// isMostlyNumbers reports whether a line has as many numbers as words, such as a date or a price.
func isMostlyNumbers(line string) bool {
	numbers, words := 0, 0
	for _, w := range lineTokens(line) {
		if strings.ContainsAny(w, digits) {
			numbers++
		} else {
			words++
		}
	}
	return numbers > 0 && numbers >= words
}

// lineWords returns the words of a line, without numbers.
func lineWords(line string) map[string]bool {
	words := make(map[string]bool)
	for _, w := range lineTokens(strings.ToLower(line)) {
		if !strings.ContainsFunc(w, unicode.IsDigit) {
			words[w] = true
		}
	}
	return words
}

// inBoth returns how many words are in both sets.
func inBoth(a, b map[string]bool) (n int) {
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

package dedup

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/token"
	"gatecrawl.example/gatecrawl/purify"
)

// Two texts have the same content if they differ only in what purify leaves of a frame. Such
// remains are lines of their own: a label, an entry of a menu, a notice at the foot. Lines of at
// most leftLine that only one text has, and before the first line that both have or after the last one of at most leftFoot, may be
// leftShort of the text in all; longer ones may be leftEdge of it, and only there. What is about other pages may be leftOthers of it:
// links, whatever their length, and teasers there, as well as what has a form of the site's frame. A headline, which one template has inside the
// article and another above it, counts as a short line: a line of words of the titles, or one above all others that has
// leftHead of its words in the titles. A line that is repeated counts once. A line that both texts
// have with other words in it was edited, and the content is not the same, unless one of the two stands outside the body.
//
// Measured with pages of one text in two templates, and with edited ones: see "Classes" in
// docs/measurements-gate.md.
const (
	leftLine   = 10 * token.WordWeight // 10 words, or 13 characters of a script without spaces
	leftFoot   = 16 * token.WordWeight
	leftShort  = 0.2
	leftEdge   = 0.05
	leftOthers = 0.5
	leftHead   = 0.5
)

// sameContent reports whether two texts that resemble each other have the same content.
func sameContent(a, b *Text) bool {
	if a.Body == b.Body {
		return true
	}
	v, w := signers.Get().(*signer), signers.Get().(*signer)
	defer v.release()
	defer w.release()
	if len(a.blocks) == 0 || len(b.blocks) == 0 {
		// A text without mark-up has no frame, but its lines may be broken differently.
		return slices.Equal(a.saysBelow(b.Title, &v.tokens), b.saysBelow(a.Title, &w.tokens))
	}
	x, y := linesOf(a, &v.tokens), linesOf(b, &w.tokens)
	x.titles = titleWords(a.Title, b.Title)
	y.titles = x.titles
	x.without(&y)
	y.without(&x)
	x.respaced(&y, a.Body, b.Body)
	return x.leavesOver() && y.leavesOver() && !rewritten(&x, &y)
}

// sameBodies reports whether the bodies of two pages have the same content, and are most of what the pages say apart from what has the form of their
// sites' frames: comments below a post, and teasers of other posts, are no part of it.
func sameBodies(a, b *Text) bool {
	a, b = cmp.Or(a.framedBy(b), a), cmp.Or(b.framedBy(a), b)
	c, d := cmp.Or(a.reading().chosen(), a), cmp.Or(b.reading().chosen(), b) // of a page without a template no more than the body is compared
	return c.isMostOf(a.withoutForms()) && d.isMostOf(b.withoutForms()) && sameContent(c, d)
}

// saysBelow returns the tokens of a text, without mark-up without those of a title at its start: a document has the title in its text
// that the same text as a page does not repeat.
func (t *Text) saysBelow(title string, list *token.List) []uint64 {
	list.Read(title)
	named := slices.Clone(list.Hashes)
	t.readBody(list)
	if says := list.Hashes; len(t.blocks) > 0 || len(says) < len(named) || !slices.Equal(says[:len(named)], named) {
		return says
	}
	return list.Hashes[len(named):]
}

// lines are the lines of a text, cut into tokens.
type lines struct {
	t      *token.List
	list   []line
	keys   []uint64 // hashes of whole lines, sorted
	runs   []uint64 // hashes of three consecutive tokens, sorted; nil: not made yet
	link   func(i int) bool
	teaser func(i int) bool
	form   func(i int) bool // it has the form of what the site's frame has in its place
	outer  func(i int) bool // it stands outside the body

	titles []uint64 // the words of the titles of both pages, sorted
}

// A line is a range of tokens.
type line struct {
	from, to int
	weight   int
	lacks    []uint64 // its tokens that the other text does not have there
}

func linesOf(text *Text, t *token.List) lines {
	composed := text.readBody(t)
	l := linesIn(t)
	if composed && text.joined != nil {
		l.link = func(i int) bool { return i < len(text.joined) && text.blocks[text.joined[i]].Linked }
		l.teaser = func(i int) bool { return i < len(text.joined) && isTeaser(text.blocks, int(text.joined[i])) }
		l.form = func(i int) bool { return i < len(text.joined) && text.framesForm(&text.blocks[text.joined[i]]) }
		l.outer = func(i int) bool { return i < len(text.joined) && !text.blocks[text.joined[i]].Chosen }
	}
	return l
}

// linesAnywhere is linesOf for all that is on a page, its title and what is not compared too.
func linesAnywhere(text *Text, t *token.List) lines {
	all := make([]string, 1, len(text.blocks)+1)
	all[0] = text.Title
	for i := range text.blocks {
		all = append(all, text.blocks[i].Text)
	}
	t.Read(strings.Join(all, "\n"))
	return linesIn(t)
}

// linesIn returns the lines of a text that has been read.
func linesIn(t *token.List) lines {
	no := func(int) bool { return false }
	l := lines{t: t, link: no, teaser: no, form: no, outer: no}
	l.list, l.keys = make([]line, 0, len(t.Lines)+1), make([]uint64, 0, len(t.Lines)+1)
	from := 0
	for _, to := range append(t.Lines[:len(t.Lines):len(t.Lines)], len(t.Hashes)) {
		n := line{from: from, to: to}
		for _, s := range t.Sorts[from:to] {
			n.weight += s.Weight()
		}
		l.list = append(l.list, n)
		l.keys = append(l.keys, token.Chain(t.Hashes[from:to]))
		from = to
	}
	l.keys = hashset.Of(l.keys)
	return l
}

// titleWords returns the set of the tokens of titles.
func titleWords(titles ...string) []uint64 {
	var t token.List
	t.Read(strings.Join(titles, "\n"))
	return hashset.Of(t.Hashes)
}

// titled returns the share of a line's words that are in the titles of the pages.
func (l *lines) titled(n line) float64 {
	in := 0
	for _, word := range l.t.Hashes[n.from:n.to] {
		if hashset.Has(l.titles, word) {
			in++
		}
	}
	return float64(in) / float64(n.to-n.from)
}

// hasRun reports whether a text has three consecutive tokens.
func (l *lines) hasRun(run []uint64) bool {
	if l.runs == nil {
		t := l.t.Hashes
		l.runs = make([]uint64, 0, len(t))
		for i := 0; i+token.RunPieces <= len(t); i++ {
			l.runs = append(l.runs, token.Chain(t[i:i+token.RunPieces]))
		}
		l.runs = hashset.Of(l.runs)
	}
	return hashset.Has(l.runs, token.Chain(run))
}

// without finds for each line what the other text lacks of it.
func (l *lines) without(other *lines) {
	for i := range l.list {
		n := &l.list[i]
		words := l.t.Hashes[n.from:n.to]
		if len(words) == 0 || hashset.Has(other.keys, token.Chain(words)) {
			continue
		}
		covered := 0 // tokens before this are known to be in the other text
		for j := range words {
			if j+token.RunPieces <= len(words) && other.hasRun(words[j:j+token.RunPieces]) {
				covered = j + token.RunPieces
			}
			if j >= covered {
				n.lacks = append(n.lacks, words[j])
			}
		}
	}
}

// respaced finds lines of the two bodies that differ only in where words are separated, such as the
// numbers of a pager: "of 7 1 2 3" and "of 71 2 3". They count as the same.
func (l *lines) respaced(other *lines, body, others string) {
	theirs := make(map[string][]*line)
	for text, n := range other.lackingLines(others) {
		theirs[text] = append(theirs[text], n)
	}
	if len(theirs) == 0 {
		return
	}
	for text, n := range l.lackingLines(body) {
		for _, same := range theirs[text] {
			n.lacks, same.lacks = nil, nil
		}
	}
}

// lackingLines yields the lines that the other text lacks, reduced to their letters and digits.
func (l *lines) lackingLines(body string) iter.Seq2[string, *line] {
	return func(yield func(string, *line) bool) {
		i := 0
		for text := range strings.SplitSeq(body, "\n") {
			if i == len(l.list) {
				return
			}
			if n := &l.list[i]; len(n.lacks) > 0 && !yield(strings.Map(letterOrDigit, text), n) {
				return
			}
			i++
		}
	}
}

// letterOrDigit folds the case of a letter and drops everything that is neither a letter nor a
// digit.
func letterOrDigit(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return unicode.ToLower(r)
	}
	return -1
}

// leavesOver reports whether what the other text lacks can be the remains of a frame.
func (l *lines) leavesOver() bool {
	first, last := len(l.list), -1 // of the lines that both have, but for what is about other pages, and a headline, below which labels stand
	for i, n := range l.list {
		if n.weight > 0 && len(n.lacks) == 0 && !l.link(i) && !l.teaser(i) && !l.form(i) && (first < i || l.titled(n) < leftHead) {
			first, last = min(first, i), i
		}
	}
	outside := func(i int) bool { return i < first || i > last }
	short, edge, others := 0, 0, 0
	counted := make(map[uint64]bool) // a label that each item of a list has counts once
	for i, n := range l.list {
		if len(n.lacks) > 0 {
			key := token.Chain(l.t.Hashes[n.from:n.to])
			if counted[key] {
				continue
			}
			counted[key] = true
		}
		switch {
		case len(n.lacks) == 0:
		case n.mostly(0.5) && (l.link(i) || outside(i) && l.teaser(i)), outside(i) && l.form(i):
			others += len(n.lacks)
		case n.weight <= leftLine || n.weight <= leftFoot && outside(i) && n.mostly(0.75):
			short += len(n.lacks)
		case l.titled(n) == 1 || i < first && l.titled(n) >= leftHead:
			short += len(n.lacks)
		case outside(i) && n.mostly(1):
			edge += len(n.lacks)
		default:
			return false
		}
	}
	all := float64(len(l.t.Hashes))
	return float64(short) <= leftShort*all && float64(edge) <= leftEdge*all && float64(others) <= leftOthers*all
}

// isTeaser reports whether a block stands right below a link, and there is another such block next to it, or a link further: the first
// words of two pages that the page leads to.
func isTeaser(blocks []purify.Block, at int) bool {
	is := func(at int) bool { return at > 0 && at < len(blocks) && blocks[at-1].Linked && !blocks[at].Linked }
	return is(at) && (is(at-2) || is(at+2) || is(at-3) || is(at+3))
}

// mostly reports whether the other text lacks at least this share of a line.
func (n *line) mostly(share float64) bool {
	return float64(len(n.lacks)) >= share*float64(n.to-n.from)
}

// rewritten reports whether a line of one text is a line of the other with other words in it. It is
// also true if there are too many lines to tell.
func rewritten(a, b *lines) bool {
	here, there := a.lacking(), b.lacking()
	if len(here)*len(there) > maxRewritten {
		return true
	}
	for i := range here {
		if slices.ContainsFunc(there, here[i].altered) {
			return true
		}
	}
	return false
}

// A wording is what a line says that the other text lacks: sets of its tokens, and of those that are numbers.
type wording struct {
	words, numbers []uint64
	outer          bool // it stands outside the body of its page
}

// altered reports whether one of two lines is the other with other words in it. If one of them is outside the body of its page, both may be what two
// templates say of one page, such as who wrote it and when: then each must have a number that the other lacks.
func (x *wording) altered(y wording) bool {
	both := hashset.Common(x.words, y.words)
	if 2*both < max(len(x.words), len(y.words)) || both == min(len(x.words), len(y.words)) {
		return false
	}
	return !x.outer && !y.outer || hashset.Common(x.numbers, y.numbers) < min(len(x.numbers), len(y.numbers))
}

// maxRewritten is how many pairs of lines are compared, at some 100 ns each.
const maxRewritten = 1 << 12

// lacking returns the lines that the other text lacks, except links.
func (l *lines) lacking() (all []wording) {
	for i, n := range l.list {
		if len(n.lacks) == 0 || l.link(i) {
			continue
		}
		w := wording{words: hashset.Of(slices.Clone(l.t.Hashes[n.from:n.to])), outer: l.outer(i)}
		for j := n.from; j < n.to; j++ {
			if l.t.Sorts[j] == token.Number {
				w.numbers = append(w.numbers, l.t.Hashes[j])
			}
		}
		w.numbers = hashset.Of(w.numbers)
		all = append(all, w)
	}
	return all
}

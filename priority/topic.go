package priority

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTerms bounds the terms of a topic, and with them the time and memory of a rating.
const maxTerms = 64

// maxScripts is how many scripts of a topic are told apart; the words of further ones count with the
// last.
const maxScripts = 4

// ByScript has what the words of each script of a topic say, in the order in which the scripts occur in
// it. Words of two scripts are words of two languages as a rule, which are not on the same pages.
type ByScript [maxScripts]float64

// A Topic is what a focused crawl looks for, given in words. Upper and lower case, full-width forms
// and the English plural do not matter (Harman's S-stemmer, JASIS 42(1), 1991), and a verb is found in its gerund and the other way
// round: see Forms. Chinese, Japanese
// and Korean have no spaces between words: a run of their characters is matched by its pairs of
// neighbours, so 网页去重 is found completely where 网页, 页去 and 去重 are found, and in part where only 网页
// is. Two neighbours among the words are found where they are written as one, too: "file system" in
// "filesystem".
//
// Ratings are not calibrated: they order pages and are not probabilities. A nil or zero Topic means
// no focus and rates everything 0. A Topic never changes and may be used from many goroutines.
type Topic struct {
	words  map[string]uint8   // index in weight of a stemmed word
	pairs  map[[2]rune]uint8  // index in weight of a pair; a single ideograph is followed by 0
	joined map[string][]uint8 // terms of which two neighbours are written as one word
	weight []float64          // a word weighs 1 each time it is given, the pairs of a run 1 in total
	total  float64            // sum of weight, without that of stop words written as one
	many   bool               // more than one term counts in total

	scripts []*unicode.RangeTable // of the words, in the order in which they were given
	script  []uint8               // index in scripts of each term
	share   ByScript              // of total

	first      [256]bool // the first bytes of words
	ideographs [256]bool // the low bytes of ideographs; 0 too if the topic has a single ideograph
}

// A Count is how often each term of a topic occurs in a text, in units of 1/whole. An occurrence
// counts in full if another term of the topic is near, at most window words away, or if the topic
// has one term only; else it counts alone/whole. A long text has each word of any topic somewhere; a
// text about the topic has them together (term proximity: Rasolofo and Savoy 2003, Tao and Zhai
// 2007; the window is that of Metzler and Croft 2005).
type Count [maxTerms]int32

const (
	whole  = 4
	alone  = 1
	window = 8
)

// A spotter counts terms.
type spotter struct {
	n     *Count
	many  bool  // the topic has more than one term
	pos   int   // of the current word
	last  uint8 // the term that occurred last,
	at    int   // there;
	full  bool  // it counts in full
	other int   // where another term than that occurred last
}

// spot returns what counts the terms of one text.
func (t *Topic) spot(n *Count) spotter {
	const far = -2 * window
	return spotter{n: n, many: t.many, at: far, other: far}
}

// met counts an occurrence of a term at the current word.
func (s *spotter) met(i uint8) {
	if !s.many {
		s.n[i] += whole
		return
	}
	if s.at >= 0 && i != s.last {
		if s.pos-s.at <= window && !s.full {
			s.n[s.last] += whole - alone
		}
		s.other = s.at
	}
	s.last, s.at = i, s.pos
	if s.full = s.pos-s.other <= window; s.full {
		s.n[i] += whole
	} else {
		s.n[i] += alone
	}
}

// stopWords are too common to be looked for, unless a topic has no other words. They are stemmed,
// so "this" is "thi".
var stopWords = map[string]bool{
	"a": true, "an": true, "and": true, "are": true, "as": true, "at": true, "be": true, "by": true, "for": true,
	"from": true, "how": true, "in": true, "is": true, "it": true, "of": true, "on": true, "or": true, "that": true,
	"the": true, "thi": true, "to": true, "was": true, "what": true, "with": true,
}

// NewTopic reads a topic's words, in any language and with any separators. An empty text means no
// focus. A text without a word, or with more than 64 words and pairs, is an error.
func NewTopic(text string) (*Topic, error) {
	if strings.TrimSpace(text) == "" {
		return &Topic{}, nil
	}
	for _, withStopWords := range []bool{false, true} {
		t := readTopic(text, withStopWords)
		if len(t.weight) > maxTerms {
			return nil, fmt.Errorf("topic has more than %d words: it starts with %.60q", maxTerms, text)
		}
		if len(t.weight) > 0 {
			return t, nil
		}
	}
	return nil, fmt.Errorf("topic has no words: %.60q", text)
}

func readTopic(text string, withStopWords bool) *Topic {
	t := &Topic{words: make(map[string]uint8), pairs: make(map[[2]rune]uint8), joined: make(map[string][]uint8)}
	var buf [maxWord]byte
	var run []rune // of ideographs
	var words []string
	for at := 0; at < len(text) && len(t.weight) <= maxTerms; {
		k := nextToken(text, at, buf[:0])
		at = k.end
		if k.ideograph != 0 {
			run = append(run, k.ideograph)
			continue
		}
		t.addRun(run)
		run = run[:0]
		word := string(k.word)
		if word != "" {
			words = append(words, word)
		}
		if withStopWords || !stopWords[word] {
			t.addWord(word)
		}
	}
	t.addRun(run)
	t.many = len(t.weight) > 1
	for i, w := range t.weight {
		t.share[t.script[i]] += w
	}
	if len(t.weight) > 0 {
		t.join(words)
		t.addForms()
	}
	return t
}

// Scripts returns how many scripts the words of the topic are in. A word without letters counts with the
// word before it.
func (t *Topic) Scripts() int {
	if t == nil {
		return 0
	}
	return len(t.scripts)
}

// scriptOf returns the index in scripts of a word that starts with r.
func (t *Topic) scriptOf(r rune) uint8 {
	table := scriptTable(r)
	i := slices.Index(t.scripts, table)
	if i < 0 && table != nil && len(t.scripts) < maxScripts {
		i = len(t.scripts)
		t.scripts = append(t.scripts, table)
	}
	if i < 0 {
		i = max(0, len(t.scripts)-1)
	}
	return uint8(i)
}

// scriptTable returns the script of a letter, nil if it belongs to none. Japanese is written in three
// that count as one.
func scriptTable(r rune) *unicode.RangeTable {
	switch {
	case unicode.In(r, unicode.Hiragana, unicode.Katakana):
		return unicode.Han
	case unicode.In(r, unicode.Common, unicode.Inherited):
		return nil
	}
	for _, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return table
		}
	}
	return nil
}

// join adds the pairs of neighbours among the words that a text may write as one: "file system" is
// found in "filesystem" and "FileSystem". Stop words count joined ("how to" in "howto"), but are not
// missed.
func (t *Topic) join(words []string) {
	for i := 1; i < len(words); i++ {
		one := words[i-1] + words[i]
		if _, there := t.words[one]; there || len(one) < leastJoined || len(one) > maxWord {
			continue
		}
		var of []uint8
		for _, w := range words[i-1 : i+1] {
			if place, there := t.words[w]; there {
				of = append(of, place)
			}
		}
		if len(of) == 0 && len(t.weight) < maxTerms {
			of = append(of, uint8(len(t.weight)))
			script := max(0, slices.Index(t.scripts, scriptTable(firstRune(one)))) // one that has words of weight
			t.weight, t.script = append(t.weight, 1), append(t.script, uint8(script))
		}
		t.first[one[0]] = true
		t.joined[one] = of
	}
}

// leastJoined is the length in bytes of two words below which they are not looked for as one:
// "a to" is not a word.
const leastJoined = 5

func (t *Topic) addWord(word string) {
	if word == "" {
		return
	}
	t.first[word[0]] = true
	addTerm(t, t.words, word, 1, firstRune(word))
}

func firstRune(word string) rune {
	r, _ := utf8.DecodeRuneInString(word)
	return r
}

func (t *Topic) addRun(run []rune) {
	if len(run) == 1 {
		run = []rune{run[0], 0}
	}
	for i := 1; i < len(run) && len(t.weight) <= maxTerms; i++ {
		pair := [2]rune{run[i-1], run[i]}
		t.ideographs[byte(pair[0])], t.ideographs[byte(pair[1])] = true, true
		addTerm(t, t.pairs, pair, 1/float64(len(run)-1), pair[0])
	}
}

// addTerm adds weight to a term that starts with a letter.
func addTerm[K comparable](t *Topic, places map[K]uint8, term K, weight float64, letter rune) {
	place, known := places[term]
	if !known {
		place = uint8(len(t.weight))
		places[term] = place
		t.weight, t.script = append(t.weight, 0), append(t.script, t.scriptOf(letter))
	}
	t.weight[place] += weight
	t.total += weight
}

// Page returns how much a page is about the topic, from 0 to 1: the mean over the topic's words of
// how certain it is that the page is about the word. A word in the title gives half of this
// certainty, one in the keywords half of the rest, and n occurrences in the body most of the
// remainder: 0.8 n/(n+k), where k grows with the body's length as in BM25 (Robertson and Zaragoza
// 2009, k1 = 1.2, b = 0.75, a body of mean length being 4 KiB). An occurrence
// counts in full if another of the topic's words is near, else a quarter: see Count. The shares were
// chosen by hand. A body of 10 kB takes about 25 microseconds.
func (t *Topic) Page(title string, keywords []string, body string) float64 {
	if t == nil || t.total == 0 {
		return 0
	}
	var inTitle, inKeywords, inBody Count
	t.Count(title, &inTitle)
	for _, k := range keywords {
		t.Count(k, &inKeywords)
	}
	t.Count(body, &inBody)
	all, _ := t.PageOf(&inTitle, &inKeywords, &inBody, len(body))
	return all
}

// PageOf is Page for terms that have been counted, in a body of length bytes. By has the same by the
// words of each script alone.
func (t *Topic) PageOf(inTitle, inKeywords, inBody *Count, length int) (all float64, by ByScript) {
	if t == nil || t.total == 0 {
		return 0, by
	}
	k := 1.2 * (0.25 + 0.75*float64(length)/4096)
	sum := 0.0
	for i, w := range t.weight {
		unsure := 1.0
		if inTitle[i] > 0 {
			unsure *= 0.5
		}
		if inKeywords[i] > 0 {
			unsure *= 0.5
		}
		n := float64(inBody[i]) / whole
		unsure *= 1 - 0.8*n/(n+k)
		sum += w * (1 - unsure)
		by[t.script[i]] += w * (1 - unsure)
	}
	for i := range t.scripts {
		by[i] = min(1, by[i]/t.share[i])
	}
	return min(1, sum/t.total), by
}

// Words returns how much a link's words are about the topic, from 0 to 1. The words found are
// divided by the square root of the number of the topic's words, so that a short anchor can match a
// long topic. A word of the URL's path, which may be escaped, counts 0.7 of a word of the anchor:
// paths also name the site's sections.
func (t *Topic) Words(anchor, urlPath string) float64 {
	if t == nil || t.total == 0 {
		return 0
	}
	var inAnchor, inPath Count
	t.Count(anchor, &inAnchor)
	t.Count(Plain(urlPath), &inPath)
	all, _ := t.WordsOf(&inAnchor, &inPath)
	return all
}

// Plain returns a URL's path unescaped, or unchanged if its escapes are invalid.
func Plain(urlPath string) string {
	if strings.Contains(urlPath, "%") {
		if plain, err := url.PathUnescape(urlPath); err == nil {
			return plain
		}
	}
	return urlPath
}

// WordsOf is Words for terms that have been counted. By has the same by the words of each script alone.
func (t *Topic) WordsOf(inAnchor, inPath *Count) (all float64, by ByScript) {
	if t == nil || t.total == 0 {
		return 0, by
	}
	sum := 0.0
	for i, w := range t.weight {
		switch {
		case inAnchor[i] > 0:
		case inPath[i] > 0:
			w *= 0.7
		default:
			continue
		}
		sum += w
		by[t.script[i]] += w
	}
	for i := range t.scripts {
		by[i] = min(1, by[i]/math.Sqrt(t.share[i]))
	}
	return min(1, sum/math.Sqrt(t.total)), by
}

// Count adds to n how often each term occurs in text. One byte excludes most words and ideographs,
// which costs far less than a look-up. A nil topic counts nothing.
func (t *Topic) Count(text string, n *Count) {
	if t == nil || t.total == 0 {
		return
	}
	var buf [maxWord]byte
	last := rune(0) // the previous ideograph, if nothing is between; else 0
	spot := t.spot(n)
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if isIdeograph(r) {
			if t.ideographs[byte(r)] {
				t.countIdeograph(last, r, &spot)
			}
			last = r
			at += size
			spot.pos++
			continue
		}
		last = 0
		if r < utf8.RuneSelf && !t.first[foldASCII[r]] {
			if foldASCII[text[at]] != 0 {
				spot.pos++
			}
			at = skipWord(text, at)
			continue
		}
		k := nextToken(text, at, buf[:0])
		at = k.end
		if len(k.word) > 0 {
			spot.pos++
		}
		t.spotWord(k.word, &spot)
	}
}

// spotWord counts a word that is a term, or of which two terms are a part.
func (t *Topic) spotWord(word []byte, spot *spotter) {
	if i, ok := t.words[string(word)]; ok {
		spot.met(i)
		return
	}
	for _, i := range t.joined[string(word)] {
		spot.met(i)
	}
}

func (t *Topic) countIdeograph(last, r rune, spot *spotter) {
	if t.ideographs[byte(last)] {
		if i, ok := t.pairs[[2]rune{last, r}]; ok {
			spot.met(i)
		}
	}
	if t.ideographs[0] {
		if i, ok := t.pairs[[2]rune{r, 0}]; ok {
			spot.met(i)
		}
	}
}

// skipWord returns the end of the word or separator that starts at at. Its first byte is ASCII.
func skipWord(text string, at int) int {
	if foldASCII[text[at]] == 0 {
		return at + 1
	}
	for at < len(text) {
		if c := text[at]; c < utf8.RuneSelf {
			if foldASCII[c] == 0 {
				return at
			}
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if isIdeograph(r) || fold(r) == 0 {
			return at
		}
		at += size
	}
	return at
}

// Tokens calls fn for each word of a text in the form that a Topic compares: lower case, half
// width, without the English plural; and for each pair of neighbours in a run of ideographs, or for
// a single ideograph. A word is valid until fn returns.
func Tokens(text string, fn func(word []byte)) { (*Topic)(nil).Tokens(text, nil, fn) }

// Tokens is the function Tokens and Count in one pass over the text.
func (t *Topic) Tokens(text string, n *Count, fn func(word []byte)) {
	counts := t != nil && t.total != 0
	var spot spotter
	if counts {
		spot = t.spot(n)
	}
	var buf, pair [maxWord]byte
	last, run := rune(0), 0 // the previous ideograph, and how many there are in a row
	for at := 0; at < len(text); {
		if c := text[at]; c < utf8.RuneSelf && foldASCII[c] == 0 {
			if run == 1 {
				fn(utf8.AppendRune(pair[:0], last))
			}
			last, run = 0, 0
			at++
			continue
		}
		k := nextToken(text, at, buf[:0])
		at = k.end
		if k.ideograph != 0 {
			if run > 0 {
				fn(utf8.AppendRune(utf8.AppendRune(pair[:0], last), k.ideograph))
			}
			if counts && t.ideographs[byte(k.ideograph)] {
				t.countIdeograph(last, k.ideograph, &spot)
			}
			spot.pos++
			last = k.ideograph
			run++
			continue
		}
		if run == 1 {
			fn(utf8.AppendRune(pair[:0], last))
		}
		last, run = 0, 0
		if len(k.word) == 0 {
			continue
		}
		fn(k.word)
		spot.pos++
		if counts && t.first[k.word[0]] {
			t.spotWord(k.word, &spot)
		}
	}
	if run == 1 {
		fn(utf8.AppendRune(pair[:0], last))
	}
}

// maxWord is how many bytes of a word count.
const maxWord = 48

// A token is a word, an ideograph or a separator of a text.
type token struct {
	word      []byte // folded and stemmed
	ideograph rune
	end       int // where the next token starts
}

// nextToken returns the token of text that starts at at. It writes the word into buf.
func nextToken(text string, at int, buf []byte) token {
	for at < len(text) {
		c := text[at]
		if c < utf8.RuneSelf {
			f := foldASCII[c]
			if f == 0 {
				if len(buf) > 0 {
					break
				}
				return token{end: at + 1}
			}
			if len(buf) < maxWord {
				buf = append(buf, f)
			}
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		if isIdeograph(r) {
			if len(buf) > 0 {
				break
			}
			return token{ideograph: r, end: at + size}
		}
		f := fold(r)
		if f == 0 {
			if len(buf) > 0 {
				break
			}
			return token{end: at + size}
		}
		at += size
		if len(buf)+utf8.RuneLen(f) <= maxWord {
			buf = utf8.AppendRune(buf, f)
		}
	}
	return token{word: stem(buf), end: at}
}

// foldASCII has letters in lower case, digits, and 0 for separators.
var foldASCII = func() (t [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		t[c] = byte(fold(rune(c)))
	}
	return t
}()

// fold returns a letter or digit in lower case and half width, a mark as it is,
// and 0 for a separator.
func fold(r rune) rune {
	if '！' <= r && r <= '～' {
		r -= '！' - '!'
	}
	if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
		return 0
	}
	return unicode.ToLower(r)
}

// isIdeograph reports whether r is written without spaces between words, or, in
// Korean, with endings that hide the word.
func isIdeograph(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case 0x4e00 <= r && r <= 0x9fff: // nearly all Chinese
		return true
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// stem removes the English plural from a word: Harman's S-stemmer. Words of up to three
// letters are not changed.
func stem(w []byte) []byte {
	n := len(w)
	if n <= 3 || w[n-1] != 's' {
		return w
	}
	switch {
	case w[n-2] == 'u', w[n-2] == 's':
		return w
	case w[n-2] == 'e' && w[n-3] == 'i' && w[n-4] != 'e' && w[n-4] != 'a':
		return append(w[:n-3], 'y')
	}
	return w[:n-1]
}

// addForms makes the gerund of a word count as the word, and the word as its gerund: "installing" is found in "install", and
// "stream" in "streaming". What is a word of the topic itself stays that.
func (t *Topic) addForms() {
	for _, word := range slices.Sorted(maps.Keys(t.words)) {
		for _, form := range Forms(word) {
			if _, there := t.words[form]; !there && !stopWords[form] {
				t.words[form] = t.words[word]
			}
		}
	}
}

// leastForm is how many letters a word has at least that a gerund is taken for the gerund of: "setting" is another word than "set".
const leastForm = 4

// Forms returns the words that an English word, as Tokens has it, may be the gerund of, or its gerund. They count as the word in a
// topic. Some are no words, and are in no text.
func Forms(w string) (all []string) {
	n := len(w)
	if n < 3 || strings.IndexFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return nil
	}
	if s, is := strings.CutSuffix(w, "ing"); is {
		if n = len(s); n < 3 || !strings.ContainsAny(s, "aeiouy") {
			return nil // "string"
		}
		all = []string{s, s + "e"}
		if s[n-1] == s[n-2] {
			all = append(all, s[:n-1])
		}
		return slices.DeleteFunc(all, func(s string) bool { return len(s) < leastForm })
	}
	switch last := w[n-1]; {
	case last == 'e':
		return []string{w[:n-1] + "ing"}
	case !vowel(last) && vowel(w[n-2]) && !vowel(w[n-3]):
		all = []string{w + w[n-1:] + "ing"} // "plan"
	}
	return append(all, w+"ing")
}

func vowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

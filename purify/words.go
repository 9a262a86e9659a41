package purify

import (
	"bytes"
	"iter"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

const (
	maxKeywords = 10
	countedText = 128 << 10 // bytes of a body that keywords are counted in
	maxGram     = 8         // characters of a merged CJK keyword
)

// A term is a word, or a CJK bigram, and how often it occurs.
type term struct {
	from, to int32 // in wordCount.text
	count    int32
	cjk      bool
}

// A wordCount counts the terms of a text in the order of their first
// occurrence. Its index is an open table of hashes that is never cleared:
// slots of an earlier text have another turn.
type wordCount struct {
	terms []term
	text  []byte
	slots []wordSlot // a power of two of them, at most half in use
	turn  uint32
}

type wordSlot struct {
	hash uint64
	at   int32 // in terms
	turn uint32
}

func (w *wordCount) reset() {
	if w.turn++; w.turn == 0 || w.slots == nil {
		w.slots, w.turn = make([]wordSlot, 1<<10), 1
	}
	w.terms, w.text = w.terms[:0], w.text[:0]
}

// find returns the slot of a hash, or the free one where it belongs.
func (w *wordCount) find(hash uint64) *wordSlot {
	mask := uint64(len(w.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if s := &w.slots[i]; s.turn != w.turn || s.hash == hash {
			return s
		}
	}
}

func (w *wordCount) add(word []byte, cjk bool) { w.addHashed(word, xxhash.Sum64(word), cjk) }

func (w *wordCount) addHashed(word []byte, hash uint64, cjk bool) {
	s := w.find(hash)
	if s.turn == w.turn {
		w.terms[s.at].count++
		return
	}
	s.hash, s.at, s.turn = hash, int32(len(w.terms)), w.turn
	t := term{from: int32(len(w.text)), count: 1, cjk: cjk}
	w.text = append(w.text, word...)
	t.to = int32(len(w.text))
	if w.terms = append(w.terms, t); 2*len(w.terms) > len(w.slots) {
		w.grow()
	}
}

func (w *wordCount) grow() {
	old := w.slots
	w.slots = make([]wordSlot, 2*len(old))
	for _, s := range old {
		if s.turn == w.turn {
			*w.find(s.hash) = s
		}
	}
}

func (w *wordCount) word(t *term) []byte { return w.text[t.from:t.to] }

// pairs returns how often two CJK characters stand together.
func (w *wordCount) pairs(a, b rune) int {
	if s := w.find(pairHash(a, b)); s.turn == w.turn {
		return int(w.terms[s.at].count)
	}
	return 0
}

// pairHash spreads two characters over 64 bits, so that they need not be
// encoded to be counted.
func pairHash(a, b rune) uint64 {
	h := (uint64(a)<<32 | uint64(b)) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// A digest derives keywords and abstract from a body. It is reused from page
// to page.
type digest struct {
	words, merged wordCount
	reader        wordReader
	runs          []byte // the text's runs of CJK characters, a line break after each
}

// A wordReader reads a text word by word, and run by run of CJK characters.
type wordReader struct {
	text string
	at   int
	word []byte // in lower case, until the next call
	cjk  bool   // the word is a run of CJK characters
}

func (w *wordReader) reset(text string) { w.text, w.at = text, 0 }

// next reports whether there is another word.
func (w *wordReader) next() bool {
	w.word = w.word[:0]
	w.cjk = false
	for w.at < len(w.text) {
		if c := w.text[w.at]; c < utf8.RuneSelf {
			if kind := asciiKind[c]; kind == wordByte || kind == quoteByte && len(w.word) > 0 {
				if w.cjk {
					return true
				}
				w.ascii()
				continue
			}
			if len(w.word) > 0 {
				return true
			}
			w.at++
			continue
		}
		r, n := utf8.DecodeRuneInString(w.text[w.at:])
		switch {
		case cjk(r):
			if len(w.word) > 0 && !w.cjk {
				return true
			}
			w.cjk = true
			w.word = append(w.word, w.text[w.at:w.at+n]...)
		case !cjkPunctuation(r) && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)):
			if w.cjk {
				return true
			}
			w.word = utf8.AppendRune(w.word, unicode.ToLower(r))
		case r == '’' && !w.cjk && len(w.word) > 0:
			w.word = append(w.word, '\'')
		case len(w.word) > 0:
			return true
		}
		w.at += n
	}
	return len(w.word) > 0
}

// skip passes over words of ASCII whose first byte, in lower case, is none of
// starts.
func (w *wordReader) skip(starts *[256]bool) {
	for w.at < len(w.text) && w.text[w.at] < utf8.RuneSelf {
		from := w.at
		if c := w.text[from]; asciiKind[c] != wordByte {
			w.at++
			continue
		} else if starts[c] || letter(c) && starts[c|0x20] {
			return
		}
		for w.at < len(w.text) && w.text[w.at] < utf8.RuneSelf && asciiKind[w.text[w.at]] != otherByte {
			w.at++
		}
		if w.at < len(w.text) && w.text[w.at] >= utf8.RuneSelf {
			w.at = from // it may go on
			return
		}
	}
}

// ascii takes the letters, digits and apostrophes from here on.
func (w *wordReader) ascii() {
	from := w.at
	upper := false
	for w.at < len(w.text) {
		c := w.text[w.at]
		if c >= utf8.RuneSelf || asciiKind[c] == otherByte {
			break
		}
		upper = upper || c >= 'A' && c <= 'Z'
		w.at++
	}
	start := len(w.word)
	w.word = append(w.word, w.text[from:w.at]...)
	if upper {
		for i, c := range w.word[start:] {
			if c >= 'A' && c <= 'Z' {
				w.word[start+i] = c | 0x20
			}
		}
	}
}

// The kinds of ASCII bytes.
const (
	otherByte = iota
	wordByte
	quoteByte // an apostrophe, which can stand within a word
)

var asciiKind = func() (kinds [utf8.RuneSelf]byte) {
	for c := range kinds {
		if letterOrDigit(byte(c)) {
			kinds[c] = wordByte
		}
	}
	kinds['\''] = quoteByte
	return kinds
}()

// cjkPunctuation reports whether a rune is of the blocks that hold the
// punctuation of CJK texts, where the tables need not be asked.
func cjkPunctuation(r rune) bool {
	return r >= 0x2010 && r <= 0x206f || r >= 0x3000 && r <= 0x3004 || r >= 0x3008 && r <= 0x3020 || r >= 0xff01 && r <= 0xff0f
}

// keywords returns the terms of most weight: the term's count times its IDF in
// a collection, or in the common one for nil. Stop words and numbers weigh
// nothing, short words less. Bigrams that always occur together are one term.
func (d *digest) keywords(body string, words Words) []Keyword {
	d.count(body)
	best := ranking{words: words}
	w := &d.words
	for i := range w.terms {
		if t := &w.terms[i]; !t.cjk {
			best.offer(w.word(t), t.weight(w), false)
		}
	}
	if len(d.runs) > 0 {
		d.merge()
		for i := range d.merged.terms {
			t := &d.merged.terms[i]
			best.offer(d.merged.word(t), t.weight(&d.merged), true)
		}
	}
	return best.list()
}

// count takes in the terms of a body.
func (d *digest) count(body string) {
	w := &d.words
	w.reset()
	d.runs = d.runs[:0]
	r := &d.reader
	for r.reset(cut(body, countedText)); r.next(); {
		if r.cjk {
			d.runs = append(append(d.runs, r.word...), '\n')
			w.addBigrams(r.word)
		} else if word := stem(r.word); !noKeyword(word) {
			w.add(word, false)
		}
	}
}

// A ranking holds the maxKeywords best words that it was offered.
type ranking struct {
	best    [maxKeywords][]byte
	weights [maxKeywords]float64
	n       int
	words   Words // or nil
}

// offer takes a word with its weight without the IDF.
func (r *ranking) offer(word []byte, weight float64, cjk bool) {
	// No word weighs more than a rare one: most need no look-up.
	if weight <= 0 || r.words == nil && r.n == maxKeywords && weight*float64(common.rare) < r.weights[maxKeywords-1] || !cjk && stop(word) {
		return
	}
	weight = math.Round(1000*weight*r.idf(word, cjk)) / 1000
	if weight <= 0 || r.n == maxKeywords && weight < r.weights[maxKeywords-1] {
		return
	}
	at := r.n
	for at > 0 && (weight > r.weights[at-1] || weight == r.weights[at-1] && bytes.Compare(word, r.best[at-1]) < 0) {
		at--
	}
	if at == maxKeywords {
		return
	}
	r.n = min(r.n+1, maxKeywords)
	copy(r.best[at+1:r.n], r.best[at:])
	copy(r.weights[at+1:r.n], r.weights[at:])
	r.best[at], r.weights[at] = word, weight
}

// idf returns the IDF of a word, or of the rarest pair of a run of CJK
// characters.
func (r *ranking) idf(word []byte, cjk bool) float64 {
	if !cjk {
		return idfOf(r.words, word)
	}
	most := 0.0
	_, a := utf8.DecodeRune(word)
	for len(word) > a {
		_, b := utf8.DecodeRune(word[a:])
		most = max(most, idfOf(r.words, word[:a+b]))
		word, a = word[a:], b
	}
	return most
}

func (r *ranking) list() []Keyword {
	if r.n == 0 {
		return nil
	}
	list := make([]Keyword, r.n)
	for i := range list {
		list[i] = Keyword{string(r.best[i]), r.weights[i]}
	}
	return list
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// stem takes the possessive off.
func stem(word []byte) []byte {
	if n := len(word); n > 2 && word[n-2] == '\'' && word[n-1] == 's' {
		return word[:n-2]
	}
	for len(word) > 0 && word[len(word)-1] == '\'' {
		word = word[:len(word)-1]
	}
	return word
}

func number(word []byte) bool { return word[0] >= '0' && word[0] <= '9' }

// noKeyword reports whether a word's form alone says that it is no keyword.
func noKeyword(word []byte) bool { return len(word) < 3 || len(word) > 40 || number(word) }

// stop reports whether a word says nothing of the topic.
func stop(word []byte) bool { return noKeyword(word) || stopWords[string(word)] }

// weight of a term without its IDF, stop words not looked at.
func (t *term) weight(w *wordCount) float64 {
	runes := float64(utf8.RuneCount(w.word(t)))
	damp := math.Min(1, runes/7)
	if t.cjk {
		if t.count == 1 {
			return 0
		}
		damp = math.Min(1, 0.5+runes/8)
	}
	return float64(t.count) * damp
}

func (w *wordCount) addBigrams(run []byte) {
	a, n := utf8.DecodeRune(run)
	for len(run) > n {
		b, m := utf8.DecodeRune(run[n:])
		if !particle(a) && !particle(b) {
			w.addHashed(run[:n+m], pairHash(a, b), true)
		}
		run, a, n = run[n:], b, m
	}
}

// particle reports whether a character holds Chinese and Japanese sentences
// together and starts or ends no keyword.
func particle(r rune) bool { return r < 1<<16 && particles[r>>6]&(1<<(r&63)) != 0 }

// particles is a set of the characters below 1<<16.
var particles = func() (set [1 << 10]uint64) {
	for _, r := range "的了是在和有我他她它你们不这那也都而及与或被把从对以为之其于到个很但还又吧吗呢啊なのにはをがでともへやからまでたですますしいれるっあこそ" {
		set[r>>6] |= 1 << (r & 63)
	}
	return set
}()

// merge counts the longest runs of bigrams that occur about as often as one
// another, so that a name of four characters is one keyword and not three.
func (d *digest) merge() {
	d.merged.reset()
	for run := range bytes.Lines(d.runs) {
		for run = run[:len(run)-1]; len(run) > 0; {
			end := d.words.together(run)
			if end == 0 {
				_, first := utf8.DecodeRune(run)
				run = run[first:]
				continue
			}
			d.merged.add(run[:end], true)
			run = run[end:]
		}
	}
}

// together returns the length of the longest start of a run whose bigrams are
// counted about equally often, at least twice, or 0. A character that the one
// behind it follows more often than that belongs to the next word: of 生产环境,
// where 环境 stands in other places too, 生产 is the start.
func (w *wordCount) together(run []byte) int {
	end, before, least, most := 0, 0, 0, 0 // before: the end without its last character
	a, at := utf8.DecodeRune(run)
	for range maxGram - 1 {
		if at == len(run) {
			break
		}
		b, m := utf8.DecodeRune(run[at:])
		n := w.pairs(a, b)
		if end == 0 {
			least, most = n, n
		}
		if n*4 > most*5 { // the next word has begun with a
			return before
		}
		least, most = min(least, n), max(most, n)
		if n < 2 || least*5 < most*4 {
			break
		}
		at += m
		a, before, end = b, end, at
	}
	return end
}

// abstract returns the one or two sentences of the body's start that hold most
// of its keywords, in their order.
func (d *digest) abstract(body string, keys []Keyword) string {
	weight := make(map[string]float64, len(keys))
	var starts [256]bool // first bytes of keywords: most words need no look-up
	for _, k := range keys {
		weight[k.Word] = k.Weight
		starts[k.Word[0]] = true
	}
	type candidate struct {
		at    int
		text  string
		score float64
	}
	var best, second candidate
	found := 0
	r := &d.reader
	for s := range sentences(cut(body, 4<<10)) {
		if n := len(s); n < 40 || n > 400 {
			continue
		}
		sum := 0.0
		r.reset(s)
		for r.skip(&starts); r.next(); r.skip(&starts) {
			if !starts[r.word[0]] && !r.cjk {
				continue
			}
			if !r.cjk {
				sum += weight[string(stem(r.word))]
				continue
			}
			for _, k := range keys {
				sum += k.Weight * float64(bytes.Count(r.word, []byte(k.Word)))
			}
		}
		score := (sum + 0.1) / math.Sqrt(float64(len(s))) / (1 + 0.05*float64(found))
		if !finished(s) {
			score /= 4 // a heading, or an item of a list
		}
		switch c := (candidate{found, s, score}); {
		case score > best.score: // of equals the first
			best, second = c, best
		case score > second.score:
			second = c
		}
		found++
	}
	switch {
	case found == 0:
		return cut(strings.ReplaceAll(body, "\n", " "), 200)
	case second.text == "" || len(best.text) > 200:
		return best.text
	case second.at < best.at:
		best, second = second, best
	}
	return best.text + " " + second.text
}

// finished reports whether a text ends as a sentence does.
func finished(s string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, ")\"'”’」』）"))
	return strings.ContainsRune(".!?…。！？", last)
}

// sentences cuts a text at line ends and after full stops, white space around
// them taken off.
func sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if !cutLine(line, yield) {
				return
			}
		}
	}
}

// cutLine yields the sentences of a line, and reports whether more are wanted.
func cutLine(line string, yield func(string) bool) bool {
	add := func(s string) bool {
		s = strings.TrimSpace(s)
		return s == "" || yield(s)
	}
	from := 0
	for i := 0; i < len(line); i++ {
		end := i + 1
		switch line[i] {
		case '.', '!', '?':
			if end < len(line) && line[end] != ' ' {
				continue
			}
		case "。"[0], "！"[0]: // and ？, which begins like ！
			if end = i + len("。"); end > len(line) || !strings.Contains("。！？", line[i:end]) {
				continue
			}
		default:
			continue
		}
		if !add(line[from:end]) {
			return false
		}
		from, i = end, end-1
	}
	return add(line[from:])
}

// stopWords are the commonest words of English, and what English pages of any
// topic say.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`a about above after again all also although always am among an and another any are aren't around as at
		back be became because become been before being below best better between both but by
		came can can't cannot come could couldn't did didn't do does doesn't doing don't done down during
		each either else even ever every few find first for from further get gets getting give given go goes going good got
		had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his how however
		i i'd i'll i'm i've if in including instead into is isn't it it's its itself just keep know
		last less let let's like likely little long look lot made make makes making many may maybe me might more most much must my myself
		need needs never new next no nor not now of off often on once one only onto or other others our ours ourselves out over own
		part people per perhaps please put quite rather really right
		said same say says see seen several she she'd she'll she's should shouldn't since so some something still such sure
		take takes than that that's the their theirs them themselves then there there's these they they'd they'll they're they've thing things think this those though three through time times to today together too took two
		under until up upon us use used uses using usually very want was wasn't way we we'd we'll we're we've well went were weren't what what's when where whether which while who who's whom whose why will with within without won't work would wouldn't
		year years yes yet you you'd you'll you're you've your yours yourself
		der die das und ist nicht ein eine den dem mit von auf für des sich im als auch werden les des est une que qui dans pour par sur los las del con por para una como más è di che il della non`) {
		m[w] = true
	}
	return m
}()

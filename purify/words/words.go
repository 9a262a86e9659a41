package words

import (
	"bytes"
	"iter"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/purify/markup"
)

const (
	maxKeywords = 10
	countedText = 128 << 10 // bytes of a body that keywords are counted in
	maxGram     = 8         // characters of a merged CJK keyword
)

// A Keyword is a word or a Chinese, Japanese or Korean n-gram of the body.
type Keyword struct {
	Word   string  `json:"word"`
	Weight float64 `json:"weight"`
}

// A term is a word, or a CJK bigram, and how often it occurs.
type term struct {
	hash     uint64
	from, to int32 // in wordCount.text
	count    int32
	cjk      bool
}

// A wordCount counts the terms of a text, in the order in which they first occur. Its index is an
// open hash table that is never cleared: slots of an earlier text have another turn number. A text
// uses only as many slots as it needs, so that a large page does not cause cache misses on the next
// ones.
type wordCount struct {
	terms []term
	text  []byte
	slots []wordSlot // a power of two of them, at most half in use
	room  []wordSlot // slots is the start of it
	turn  uint32
}

type wordSlot struct {
	hash uint64
	at   int32 // in terms
	turn uint32
}

const leastSlots = 1 << 10

func (w *wordCount) reset() {
	if w.turn++; w.turn == 0 || w.room == nil {
		w.room, w.turn = make([]wordSlot, leastSlots), 1
	}
	w.slots = w.room[:leastSlots]
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

// add counts a word in lower case, or a run of CJK characters.
func (w *wordCount) add(word []byte, IsCJK bool) {
	for _, c := range word {
		if c >= utf8.RuneSelf {
			w.addHashed(word, xxhash.Sum64(word), IsCJK)
			return
		}
	}
	w.addPlain(string(word))
}

// addPlain counts a word of ASCII letters, digits and apostrophes in any case.
func (w *wordCount) addPlain(word string) {
	if at, known := w.count(hashFolded(word)); !known {
		from := len(w.text)
		w.text = append(w.text, word...)
		markup.Lower(w.text[from:])
		w.terms[at].from, w.terms[at].to = int32(from), int32(len(w.text))
	}
}

// addHashed counts a word with a known hash, and returns its place in terms.
func (w *wordCount) addHashed(word []byte, hash uint64, IsCJK bool) int32 {
	at, known := w.count(hash)
	if !known {
		from := len(w.text)
		w.text = append(w.text, word...)
		w.terms[at] = term{hash, int32(from), int32(len(w.text)), 1, IsCJK}
	}
	return at
}

// count counts a term by its hash, and returns its place in terms and whether it
// was there before.
func (w *wordCount) count(hash uint64) (at int32, known bool) {
	s := w.find(hash)
	if s.turn == w.turn {
		w.terms[s.at].count++
		return s.at, true
	}
	at = int32(len(w.terms))
	s.hash, s.at, s.turn = hash, at, w.turn
	if w.terms = append(w.terms, term{hash: hash, count: 1}); 2*len(w.terms) > len(w.slots) {
		w.grow()
	}
	return at, false
}

// hashFolded returns a hash of a word of ASCII letters, digits and apostrophes that does not depend
// on its case, eight bytes at a time: the case of a letter is one bit, which is set in all other
// characters. The mixing uses the products of wyhash (Wang Yi 2019).
func hashFolded(word string) uint64 {
	const lowerCase = 0x2020202020202020
	h := uint64(len(word)) ^ 0x9e3779b97f4a7c15
	for ; len(word) > 8; word = word[8:] {
		h = multiplied(h^(eightBytes(word)|lowerCase), 0xbf58476d1ce4e5b9)
	}
	var rest uint64
	if len(word) == 8 {
		rest = eightBytes(word)
	} else {
		for i := range len(word) {
			rest = rest<<8 | uint64(word[i])
		}
	}
	return multiplied(h^(rest|lowerCase), 0x94d049bb133111eb)
}

func multiplied(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

func eightBytes(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func (w *wordCount) grow() {
	if 2*len(w.slots) > len(w.room) {
		w.room = make([]wordSlot, 2*len(w.slots))
	}
	w.slots = w.room[:2*len(w.slots)]
	w.turn++
	if w.turn == 0 {
		clear(w.room)
		w.turn = 1
	}
	for i := range w.terms {
		s := w.find(w.terms[i].hash)
		s.hash, s.at, s.turn = w.terms[i].hash, int32(i), w.turn
	}
}

func (w *wordCount) word(t *term) []byte { return w.text[t.from:t.to] }

// pairs returns how often the pair of a place in terms was counted.
func (w *wordCount) pairs(at int32) int {
	if at < 0 {
		return 0
	}
	return int(w.terms[at].count)
}

// pairHash returns a hash of two characters, so that they need not be encoded to be counted.
func pairHash(a, b rune) uint64 {
	h := (uint64(a)<<32 | uint64(b)) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// A Digest computes the keywords and the abstract of a body. It is reused from page to page.
type Digest struct {
	words, merged wordCount
	reader        Reader
	runs          []byte  // the text's runs of CJK characters, a line break after each
	pairs         []int32 // places in words.terms of each two characters of runs, -1 for those that are not terms
}

// Release drops the text that was read.
func (d *Digest) Release() { d.reader.text = "" }

// A Reader reads a text word by word, and run by run of CJK characters.
type Reader struct {
	text string
	at   int
	Word []byte // in lower case, until the next call
	cjk  bool   // the word is a run of CJK characters
}

func (w *Reader) Reset(text string) { w.text, w.at = text, 0 }

// plain returns the next word as it is written if it is pure ASCII. Otherwise it returns "", and
// next reads the word.
func (w *Reader) plain() string {
	text, from := w.text, w.at
	for from < len(text) && byteKind[text[from]] < wordByte {
		from++
	}
	to := from
	for to < len(text) && InPlainWord(text[to]) {
		to++
	}
	if to < len(text) && text[to] >= utf8.RuneSelf {
		w.at = from // the word may go on
		return ""
	}
	w.at = to
	return text[from:to]
}

// Next reports whether there is another word.
func (w *Reader) Next() bool {
	w.Word = w.Word[:0]
	w.cjk = false
	for w.at < len(w.text) {
		if c := w.text[w.at]; c < utf8.RuneSelf {
			if kind := byteKind[c]; kind == wordByte || kind == quoteByte && len(w.Word) > 0 {
				if w.cjk {
					return true
				}
				w.ascii()
				continue
			}
			if len(w.Word) > 0 {
				return true
			}
			w.at++
			continue
		}
		r, n := utf8.DecodeRuneInString(w.text[w.at:])
		switch {
		case IsCJK(r):
			if len(w.Word) > 0 && !w.cjk {
				return true
			}
			w.cjk = true
			w.Word = append(w.Word, w.text[w.at:w.at+n]...)
		case !IsCJKPunctuation(r) && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)):
			if w.cjk {
				return true
			}
			w.Word = utf8.AppendRune(w.Word, unicode.ToLower(r))
		case r == '’' && !w.cjk && len(w.Word) > 0:
			w.Word = append(w.Word, '\'')
		case len(w.Word) > 0:
			return true
		}
		w.at += n
	}
	return len(w.Word) > 0
}

// ascii reads the letters, digits and apostrophes from here on.
func (w *Reader) ascii() {
	from := w.at
	for w.at < len(w.text) && InPlainWord(w.text[w.at]) {
		w.at++
	}
	start := len(w.Word)
	w.Word = append(w.Word, w.text[from:w.at]...)
	markup.Lower(w.Word[start:])
}

// A WordSet is a set of words in lower case, mostly those of a title.
type WordSet struct {
	few  []string        // at most fewWords
	many map[string]bool // of a larger set; nil: there are few
}

// fewWords is how many words of a set are compared one by one, which takes less time than to make a map of them.
const fewWords = 16

// Set returns the set of the words of a text, in lower case, and of its single CJK characters.
func Set(s string) WordSet {
	set := WordSet{few: make([]string, 0, 8)}
	var said strings.Builder // the words, which share its memory
	said.Grow(len(s))
	for r := (Reader{text: s}); ; {
		if word := r.plain(); word != "" {
			from := said.Len()
			writeLower(&said, word)
			set.add(said.String()[from:])
			continue
		}
		if r.Word == nil && r.at < len(s) {
			r.Word = make([]byte, 0, 32)
		}
		if !r.Next() {
			return set
		}
		if !r.cjk {
			set.add(string(r.Word))
			continue
		}
		for _, c := range string(r.Word) {
			set.add(string(c))
		}
	}
}

// Joined returns the words of a text in lower case, one right after the other.
func Joined(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for r := (Reader{text: s}); ; {
		if word := r.plain(); word != "" {
			writeLower(&b, word)
			continue
		}
		if r.Word == nil && r.at < len(s) {
			r.Word = make([]byte, 0, 32)
		}
		if !r.Next() {
			return b.String()
		}
		b.Write(r.Word)
	}
}

// writeLower writes ASCII in lower case.
func writeLower(b *strings.Builder, ascii string) {
	for i := range len(ascii) {
		c := ascii[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		b.WriteByte(c)
	}
}

func (s *WordSet) add(word string) {
	switch {
	case s.many != nil:
		s.many[word] = true
	case s.Has(word):
	case len(s.few) < fewWords:
		s.few = append(s.few, word)
	default:
		s.many = make(map[string]bool, 4*fewWords)
		for _, w := range s.few {
			s.many[w] = true
		}
		s.many[word] = true
	}
}

// Len returns how many words a set has.
func (s WordSet) Len() int {
	if s.many != nil {
		return len(s.many)
	}
	return len(s.few)
}

// Has reports whether a set has a word.
func (s WordSet) Has(word string) bool {
	if s.many != nil {
		return s.many[word]
	}
	return slices.Contains(s.few, word)
}

// Common returns how many words two sets have in common.
func Common(a, b WordSet) (n int) {
	if a.many != nil && b.many == nil {
		a, b = b, a
	}
	for _, w := range a.few {
		if a.many == nil && b.Has(w) {
			n++
		}
	}
	for w := range a.many {
		if b.many[w] {
			n++
		}
	}
	return n
}

// IsWordByte reports whether a byte is an ASCII letter or digit.
func IsWordByte(c byte) bool { return byteKind[c] == wordByte }

// InPlainWord reports whether a byte can be within a word of ASCII.
func InPlainWord(c byte) bool { return byteKind[c]-quoteByte <= wordByte-quoteByte }

// The kinds of bytes.
const (
	otherByte = iota
	quoteByte // an apostrophe, which can stand within a word
	wordByte
	wideByte // of a character that is not ASCII
)

var byteKind = func() (typeCount [256]byte) {
	for c := range typeCount {
		switch {
		case c >= utf8.RuneSelf:
			typeCount[c] = wideByte
		case markup.LetterOrDigit(byte(c)):
			typeCount[c] = wordByte
		}
	}
	typeCount['\''] = quoteByte
	return typeCount
}()

// IsCJKPunctuation reports whether a rune is in the Unicode blocks with CJK punctuation; these need
// no look-up in the tables.
func IsCJKPunctuation(r rune) bool {
	return r >= 0x2010 && r <= 0x206f || r >= 0x3000 && r <= 0x3004 || r >= 0x3008 && r <= 0x3020 || r >= 0xff01 && r <= 0xff0f
}

// Keywords returns the terms with the highest weights: the count of a term times its IDF in a
// Collection, or in the table of common words if that is nil. Stop words and numbers have no
// weight, and short words less. Bigrams that always occur together are one term.
func (d *Digest) Keywords(body string, words Collection) []Keyword {
	d.count(body)
	best := ranking{words: words}
	if words == nil {
		best.common = common()
	}
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

// count counts the terms of a body.
func (d *Digest) count(body string) {
	w := &d.words
	w.reset()
	d.runs, d.pairs = d.runs[:0], d.pairs[:0]
	r := &d.reader
	r.Reset(Cut(body, countedText))
	for {
		if word := r.plain(); word != "" {
			if word = word[:stem(word)]; !noKeyword(word) {
				w.addPlain(word)
			}
			continue
		}
		if !r.Next() {
			return
		}
		if r.cjk {
			d.runs = append(append(d.runs, r.Word...), '\n')
			d.pairs = w.addBigrams(r.Word, d.pairs)
		} else if word := r.Word[:stem(r.Word)]; !noKeyword(word) {
			w.add(word, false)
		}
	}
}

// A ranking has the maxKeywords words with the highest weights so far.
type ranking struct {
	best    [maxKeywords][]byte
	weights [maxKeywords]float64
	n       int
	words   Collection   // nil: common
	common  *commonWords // nil: words
}

// offer adds a word, with its weight without the IDF, if it is among the best.
func (r *ranking) offer(word []byte, weight float64, IsCJK bool) {
	// No word weighs more than a rare one: most need no look-up.
	if weight <= 0 || r.common != nil && r.n == maxKeywords && weight*float64(r.common.rare) < r.weights[maxKeywords-1] || !IsCJK && stop(word) {
		return
	}
	weight = math.Round(1000*weight*r.idf(word, IsCJK)) / 1000
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
func (r *ranking) idf(word []byte, IsCJK bool) float64 {
	if !IsCJK {
		return r.rarity(word)
	}
	most := 0.0
	_, a := utf8.DecodeRune(word)
	for len(word) > a {
		_, b := utf8.DecodeRune(word[a:])
		most = max(most, r.rarity(word[:a+b]))
		word, a = word[a:], b
	}
	return most
}

// rarity returns the IDF of a word or of a pair of CJK characters.
func (r *ranking) rarity(word []byte) float64 {
	if r.common != nil {
		return r.common.rarity(word)
	}
	return r.words.Rarity(string(word))
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

// Cut shortens s to at most n bytes, at the edge of a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// stem returns the length of a word without the possessive.
func stem[T string | []byte](word T) int {
	n := len(word)
	if n > 2 && word[n-2] == '\'' && word[n-1]|0x20 == 's' {
		return n - 2
	}
	for n > 0 && word[n-1] == '\'' {
		n--
	}
	return n
}

// noKeyword reports whether a word cannot be a keyword by its form alone.
func noKeyword[T string | []byte](word T) bool {
	return len(word) < 3 || len(word) > 40 || markup.Digit(word[0])
}

// stop reports whether a word says nothing about the topic.
func stop(word []byte) bool { return noKeyword(word) || stopWords()[string(word)] }

// IsStop reports whether a word in lower case is one of the commonest.
func IsStop(word string) bool { return stopWords()[word] }

// StopWords yields the stop words, in no particular order.
func StopWords() iter.Seq[string] { return maps.Keys(stopWords()) }

// weight returns the weight of a term without its IDF, as if it were not a stop word.
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

// addBigrams counts the pairs of characters of a run, and appends their places
// in terms.
func (w *wordCount) addBigrams(run []byte, places []int32) []int32 {
	a, n := utf8.DecodeRune(run)
	for len(run) > n {
		b, m := utf8.DecodeRune(run[n:])
		at := int32(-1)
		if !particle(a) && !particle(b) {
			at = w.addHashed(run[:n+m], pairHash(a, b), true)
		}
		places = append(places, at)
		run, a, n = run[n:], b, m
	}
	return places
}

// particle reports whether a character is a particle of Chinese or Japanese, with which no keyword
// starts or ends.
func particle(r rune) bool { return r < 1<<16 && particles[r>>6]&(1<<(r&63)) != 0 }

// particles is a set of the characters below 1<<16.
var particles = func() (set [1 << 10]uint64) {
	for _, r := range "的了是在和有我他她它你们不这那也都而及与或被把从对以为之其于到个很但还又吧吗呢啊なのにはをがでともへやからまでたですますしいれるっあこそ" {
		set[r>>6] |= 1 << (r & 63)
	}
	return set
}()

// merge counts the longest runs of bigrams that occur about equally often, so that a name of four
// characters is one keyword and not three.
func (d *Digest) merge() {
	d.merged.reset()
	pairs := d.pairs
	for runs := d.runs; len(runs) > 0; runs = runs[1:] { // and the line break
		for runs[0] != '\n' {
			n := d.words.together(runs, pairs)
			size := 0
			for range n + 1 {
				size += wideSize(runs[size])
			}
			if n > 0 {
				d.merged.add(runs[:size], true)
			}
			if runs = runs[size:]; runs[0] == '\n' {
				pairs = pairs[n:]
			} else {
				pairs = pairs[n+1:]
			}
		}
	}
}

// together returns how many pairs at the start of a run belong to one word: they are counted about
// equally often, and at least twice. If a character is more often followed by the next one than
// that, it belongs to the next word: in 生产环境, where 环境 occurs elsewhere too, the first word is 生产.
// The places of the run's pairs come first in pairs.
func (w *wordCount) together(run []byte, pairs []int32) int {
	least, most := 0, 0
	at := wideSize(run[0])
	for i := range maxGram - 1 {
		if run[at] == '\n' {
			return i
		}
		n := w.pairs(pairs[i])
		if i == 0 {
			least, most = n, n
		}
		if n*4 > most*5 {
			return i - 1 // the next word started with the character before
		}
		least, most = min(least, n), max(most, n)
		if n < 2 || least*5 < most*4 {
			return i
		}
		at += wideSize(run[at])
	}
	return maxGram - 1
}

// wideSize returns the size in bytes of the CJK character whose first byte is c.
func wideSize(c byte) int {
	if c >= 0xf0 {
		return 4
	}
	return 3
}

// Abstract returns the one or two sentences at the start of the body that have most of its
// keywords, in the order of the body.
func (d *Digest) Abstract(body string, keys []Keyword) string {
	var starts [256]bool // first bytes of keywords: most words need no look-up
	for _, k := range keys {
		starts[k.Word[0]] = true
	}
	type candidate struct {
		at    int
		text  string
		score float64
	}
	var best, second candidate
	found := 0
	for s := range sentences(Cut(body, 4<<10)) {
		if n := len(s); n < 40 || n > 400 {
			continue
		}
		score := (d.weightOfSentence(s, keys, &starts) + 0.1) / math.Sqrt(float64(len(s))) / (1 + 0.05*float64(found))
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
		return Cut(strings.ReplaceAll(body, "\n", " "), 200)
	case second.text == "" || len(best.text) > 200:
		return best.text
	case second.at < best.at:
		best, second = second, best
	}
	return best.text + " " + second.text
}

// weightOfSentence returns the sum of the weights of the keywords in a sentence. starts has their
// first bytes.
func (d *Digest) weightOfSentence(s string, keys []Keyword, starts *[256]bool) (sum float64) {
	r := &d.reader
	r.Reset(s)
	for {
		word := r.plain()
		switch {
		case word != "":
			if starts[word[0]|0x20] {
				sum += weightOf(keys, word)
			}
		case !r.Next():
			return sum
		case !r.cjk:
			sum += weightOf(keys, string(r.Word))
		default:
			for i := range keys {
				if k := &keys[i]; k.Word[0] >= utf8.RuneSelf {
					sum += k.Weight * float64(bytes.Count(r.Word, []byte(k.Word)))
				}
			}
		}
	}
}

// weightOf returns the weight of a word if it is a keyword, and 0 otherwise. ASCII letters may be
// in any case.
func weightOf(keys []Keyword, word string) float64 {
	word = word[:stem(word)]
	for i := range keys {
		if k := &keys[i]; len(k.Word) == len(word) && foldsTo(word, k.Word) {
			return k.Weight
		}
	}
	return 0
}

// foldsTo reports whether a word equals low, which is in lower case and of the same length, in any
// case.
func foldsTo(word, low string) bool {
	for i := range len(word) {
		if c := word[i]; c != low[i] && (c < 'A' || c > 'Z' || c|0x20 != low[i]) {
			return false
		}
	}
	return true
}

// finished reports whether a text that is not empty ends like a sentence.
func finished(s string) bool {
	if c := s[len(s)-1]; c < utf8.RuneSelf && (markup.LetterOrDigit(c) || c == '.') {
		return c == '.'
	}
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
		case "。"[0], "！"[0]: // and ？, which starts like ！
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

// stopWords are the most common words of English, and words that English pages on any topic have.
var stopWords = sync.OnceValue(func() map[string]bool {
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
})

// IsCJK reports whether a rune is of a script that writes without spaces.
func IsCJK(r rune) bool {
	return r >= 0x2e80 && (r >= 0x4e00 && r <= 0x9fff || r >= 0x3040 && r <= 0x30ff || r >= 0xac00 && r <= 0xd7a3 ||
		!IsCJKPunctuation(r) && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul))
}

// IsIdeograph reports whether a rune is one of the commonest that cjk is true for.
func IsIdeograph(r rune) bool { return r >= 0x4e00 && r <= 0x9fff }

// Straight returns a text with straight apostrophes in place of typographic ones.
func Straight(s string) string { return straight.Replace(s) }

var straight = strings.NewReplacer("’", "'", "‘", "'")

package words

import (
	"cmp"
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Language returns the language that a page declares. It returns that of the text instead if the
// page declares none, if what it declares is not a language tag ("english", or the whole list of a
// theme), if it is a language in Latin letters and the text is in other letters, more than its sentences in the declared
// one have, or clearly in another language from its start, or if it is a language in other letters and the text is prose in Latin
// ones: programs and themes declare en on every page, and sites the language of their frame on pages that
// nobody translated.
func Language(declared, text string) string {
	declared = tagCase(strings.ReplaceAll(declared, "_", "-"))
	name, rest, more := strings.Cut(declared, "-")
	if !isTag(name, rest, more) {
		return languageOf(text)
	}
	if trigrams().latin[name] {
		if other := script(text); other != "" {
			if trigrams().quotes(name, text) {
				return declared
			}
			return other
		}
		return cmp.Or(trigrams().instead(name, text), trigrams().insteadByProse(name, text), declared)
	}
	if !strings.Contains(declared, "-Latn") {
		return cmp.Or(trigrams().untranslated(name, text), declared)
	}
	return declared
}

// isTag reports whether a text is a language tag (RFC 5646, section 2.1): two or three letters, and
// then parts of one to eight letters and digits. name is the part before the first hyphen, rest
// what follows it.
func isTag(name, rest string, more bool) bool {
	if len(name) < 2 || len(name) > 3 || name == "und" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		return false
	}
	for more {
		var part string
		part, rest, more = strings.Cut(rest, "-")
		if part == "" || len(part) > 8 || strings.ContainsFunc(part, func(c rune) bool {
			return c >= utf8.RuneSelf || !unicode.IsLetter(c) && !unicode.IsDigit(c)
		}) {
			return false
		}
	}
	return true
}

// tagCase returns a language tag with the letter case that RFC 5646, section 2.1.1 recommends, so
// that en-us and en-US count as one: a region of two letters is in capitals, a script of four
// starts with one, and all else is in lower case.
func tagCase(tag string) string {
	parts := strings.Split(strings.ToLower(tag), "-")
	for i := 1; i < len(parts) && len(parts[i-1]) > 1; i++ {
		switch p := parts[i]; {
		case len(p) == 2:
			parts[i] = strings.ToUpper(p)
		case len(p) == 4 && p[0] < utf8.RuneSelf:
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "-")
}

// languageOf returns the language of a text, "" if it is not clear: that of its script or, for
// Latin letters, the one to which its trigrams fit best.
func languageOf(text string) string {
	if lang := script(text); lang != "" {
		return lang
	}
	return trigrams().languageOf(text)
}

// scripts are the scripts that few languages share, each with its most common language, or "" if
// other evidence has to decide between them.
var scripts = [...]struct {
	table    *unicode.RangeTable
	language string
}{
	{unicode.Cyrillic, ""}, {unicode.Arabic, ""}, {unicode.Devanagari, ""}, {unicode.Greek, "el"},
	{unicode.Hebrew, "he"}, {unicode.Thai, "th"}, {unicode.Bengali, "bn"}, {unicode.Tamil, "ta"},
	{unicode.Telugu, "te"}, {unicode.Gujarati, "gu"}, {unicode.Gurmukhi, "pa"}, {unicode.Kannada, "kn"},
	{unicode.Malayalam, "ml"}, {unicode.Sinhala, "si"}, {unicode.Georgian, "ka"}, {unicode.Armenian, "hy"},
	{unicode.Khmer, "km"}, {unicode.Lao, "lo"}, {unicode.Myanmar, "my"}, {unicode.Ethiopic, "am"},
}

// The punctuation and currency signs of many scripts, which are in none of scripts.
const (
	firstMark = 0x2000
	lastMark  = 0x20cf
)

// languageText is how many bytes of a text are used to find its language.
const languageText = 4 << 10

// script returns the language that the script of a text tells: ja for kana, ko for hangul, zh for
// other CJK. It returns "" for Latin letters, and if several languages share the script and the
// text is too short. Letters that are not Latin weigh more, since words in such scripts have fewer
// letters and pages on programs have many names in Latin letters.
func script(text string) string {
	text = Cut(text, languageText)
	if !hasOtherLetters(text) {
		return ""
	}
	var kana, hangul, han, all int
	var counts [len(scripts)]int
	last := 0
	for _, r := range text {
		switch {
		case r < 0x370:
			if r >= 0xc0 || 'a' <= r|' ' && r|' ' <= 'z' { // a letter: numbers and signs are in all languages
				all++
			}
			continue
		case r >= firstMark && r <= lastMark: // a dash or quotation mark: of no script
		case r >= 0x3040 && r <= 0x30ff:
			kana += 3
		case r >= 0xac00 && r <= 0xd7a3:
			hangul += 3
		case IsIdeograph(r):
			han += 3
		case unicode.Is(scripts[last].table, r):
			counts[last] += 2
		default:
			for i := range scripts {
				if unicode.Is(scripts[i].table, r) {
					counts[i] += 2
					last = i
					break
				}
			}
			all += 2
			continue
		}
		all += 2
	}
	switch {
	case all == 0:
		return ""
	case kana*8 >= kana+han && (kana+han)*4 > all:
		return "ja"
	case hangul*4 > all:
		return "ko"
	case han*4 > all:
		return "zh"
	}
	for i, s := range scripts {
		if counts[i]*4 <= all {
			continue
		}
		switch s.table {
		case unicode.Cyrillic:
			return cmp.Or(trigrams().languageOf(text), byLetters(text, cyrillicLetters[:]))
		case unicode.Arabic:
			return byLetters(text, arabicLetters[:])
		case unicode.Devanagari:
			return cmp.Or(trigrams().languageOf(text), byWords(text))
		}
		return s.language
	}
	return ""
}

// hasOtherLetters reports whether a text has runes from U+0370 on, by the first bytes of their UTF-8, other than dashes,
// quotation marks and the like, which most texts have.
func hasOtherLetters(text string) bool {
	const notASCII = 0x8080808080808080
	for len(text) > 0 {
		if len(text) >= 8 && eightBytes(text)&notASCII == 0 {
			text = text[8:]
			continue
		}
		switch {
		case len(text) >= 3 && text[0] == 0xe2 && text[1] <= 0x82 && text[2] < 0xc0: // U+2000 to U+20BF
			text = text[3:]
		case text[0] >= 0xcd:
			return true
		default:
			text = text[1:]
		}
	}
	return false
}

// A letterSet has the letters that only one language of a script uses, or none that is known if
// language is "".
type letterSet struct{ language, letters string }

var (
	cyrillicLetters = [...]letterSet{{"uk", "їєґ"}, {"be", "ў"}, {"sr", "љњћђ"}, {"mk", "ѓќѕ"}, {"", "іәғқңөұүһҳҷҗ"}, {"ru", "ыэё"}}
	arabicLetters   = [...]letterSet{{"", "ەېۇۈۆڵێښځټڼڤ"}, {"ur", "ٹڈڑںےہھ"}, {"fa", "پچژگکی"}, {"ar", "ةيكىأإؤ"}}
)

// devanagariWords are the commonest words of the languages in Devanagari that the other ones do not have.
var devanagariWords = map[string]string{
	"है": "hi", "हैं": "hi", "में": "hi", "और": "hi", "के": "hi", "की": "hi", "का": "hi", "को": "hi", "से": "hi", "पर": "hi", "यह": "hi", "था": "hi", "लिए": "hi", "रहे": "hi", "रही": "hi", "रहा": "hi",
	"आहे": "mr", "आहेत": "mr", "आणि": "mr", "होते": "mr", "होता": "mr", "मध्ये": "mr", "साठी": "mr", "च्या": "mr", "ही": "mr", "हा": "mr",
	"छ": "ne", "छन्": "ne", "हो": "ne", "गर्न": "ne", "भएको": "ne", "रहेको": "ne", "लागि": "ne", "तथा": "ne", "पनि": "ne",
}

// byWords returns the language of which a text in Devanagari has two of devanagariWords or more, and twice as many as of any other. A
// sentence has too few runs of letters for more than a guess.
func byWords(text string) string {
	counts := map[string]int{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		counts[devanagariWords[word]]++
	}
	for language, n := range counts {
		if language == "" || n < 2 {
			continue
		}
		clear := true
		for other, m := range counts {
			clear = clear && (other == language || other == "" || 2*m <= n)
		}
		if clear {
			return language
		}
	}
	return ""
}

// byLetters returns the first language of whose own letters a text has at least one in three
// hundred.
func byLetters(text string, sets []letterSet) string {
	letters := 0
	counts := make([]int, len(sets))
	for _, r := range text {
		if r < 0x370 || !unicode.IsLetter(r) {
			continue
		}
		letters++
		r = unicode.ToLower(r)
		for i := range sets {
			if strings.ContainsRune(sets[i].letters, r) {
				counts[i]++
			}
		}
	}
	best := -1
	for i, n := range counts {
		if n > 0 && n*300 >= letters && (best < 0 || n > 10*counts[best]) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return sets[best].language
}

// trigramFile has a line for each language: its name, and its commonest runs of three
// letters, most common first, with a | for each half nat that they are rarer than one in
// 50. A space starts and ends words. They are counted in translated messages of programs
// of Debian 12 (see TestCountTrigrams), and those of the last lines in the Universal Declaration of Human Rights.
//
//go:embed trigrams.txt
var trigramFile string

// trigrams returns the profiles of trigramFile. They are read at the first call, which takes some 2
// ms, since most commands do not need them.
var trigrams = sync.OnceValue(func() *profiles { return readProfiles(trigramFile) })

// profiles are languages with their trigrams.
type profiles struct {
	names []string
	latin map[string]bool // those in Latin letters
	rows  trigramTable
}

// A trigramTable has the gains of each trigram. It is used at every letter of a text, and a map would
// take twice as long.
type trigramTable struct {
	rows  []trigramRow // a power of two, of which at least a third are empty
	shift int          // of a hash to a place
	used  int          // rows
}

// A trigramRow has 64 bytes, a line of a processor's cache: the table is larger than the caches near
// the processor. It is empty if its trigram is 0.
type trigramRow struct {
	trigram uint64            // its three runes
	gains   [gainWords]uint64 // by how much likelier it is in each language than a rare one, in half nats: eight languages a word, 8 bits each
}

// gainWords is enough for 56 languages.
const gainWords = 7

// newTrigramTable returns an empty table of 1<<width rows.
func newTrigramTable(width int) trigramTable {
	return trigramTable{rows: make([]trigramRow, 1<<width), shift: 64 - width}
}

// find returns the row of a trigram, or the empty one that it would get.
func (t *trigramTable) find(trigram uint64) *trigramRow {
	at := int(trigram * 0x9e3779b97f4a7c15 >> t.shift) // 2^64 by the golden ratio (Knuth, volume 3, 6.4)
	for {
		if r := &t.rows[at]; r.trigram == trigram || r.trigram == 0 {
			return r
		}
		at = (at + 1) & (len(t.rows) - 1)
	}
}

// add returns the row of a trigram, a new one if the table has none.
func (t *trigramTable) add(trigram uint64) *trigramRow {
	r := t.find(trigram)
	if r.trigram != 0 {
		return r
	}
	if t.used++; 3*t.used > 2*len(t.rows) {
		old := t.rows
		t.rows, t.shift = make([]trigramRow, 2*len(old)), t.shift-1
		for i := range old {
			if old[i].trigram != 0 {
				*t.find(old[i].trigram) = old[i]
			}
		}
		r = t.find(trigram)
	}
	r.trigram = trigram
	return r
}

const (
	rareTrigram   = 17  // half nats below one in 50 of a trigram that a line does not have
	trigramsRead  = 600 // trigrams of a text that tell its language
	leastTrigrams = 14  // that a text needs to have a language
	leastLead     = 26  // half nats by which it is likelier than any other
	leastShare    = 3   // of the read trigrams for a half nat of that lead
	leastOwnLead  = 8   // half nats of the words of prose alone, for a language other than English
	leastKnown    = 38  // percent of its trigrams that the language's line has

	startRead         = 60 // trigrams of a text that tell first whether its language may be another than the declared one
	leastInstead      = 60 // trigrams for a text to be in another language than the declared one
	leastUntranslated = 40 // trigrams of the words of prose alone, for a text in Latin letters under a label that is written in others
)

func readProfiles(file string) *profiles {
	p := &profiles{latin: map[string]bool{}, rows: newTrigramTable(12)}
	for at, line := range strings.Split(strings.TrimSpace(file), "\n") {
		name, tiers, _ := strings.Cut(line, ":")
		p.names = append(p.names, name)
		latin := true
		for tier, grams := range strings.Split(tiers, "|") {
			gain := uint64(rareTrigram-tier) << (at % 8 * 8)
			var key uint64
			n := 0
			for _, r := range grams {
				latin = latin && (r < 0x370 || unicode.Is(unicode.Latin, r))
				key = key<<21 | uint64(r)
				if n++; n%3 == 0 {
					key &= 1<<63 - 1
					p.rows.add(key).gains[at/8] |= gain
				}
			}
		}
		p.latin[name] = latin
	}
	return p
}

// languageOf returns the language in which a text's trigrams are most likely; "" if that is not
// certain. Words and names of programs are English in all languages, so that for other languages in
// Latin letters the words of prose alone must say the same.
func (p *profiles) languageOf(text string) string { return p.certain(p.fit(text, trigramsRead), text) }

// certain returns the language that a text's fit says, "" if that is not certain.
func (p *profiles) certain(f fit, text string) string {
	if f.all < leastTrigrams || f.lead < leastLead || 2*f.lead*leastShare < f.all || f.known*100 < f.all*leastKnown {
		return ""
	}
	leads := f.lead*leastShare >= f.all
	name := p.names[f.best]
	if name != "en" && p.latin[name] {
		own := p.fit(evidence(text), trigramsRead)
		if own.best != f.best || own.lead < leastOwnLead {
			return ""
		}
		leads = leads || own.all >= 2*leastInstead && own.lead*leastShare >= own.all // its neighbours are near: Spanish, Galician
	}
	if !leads {
		return ""
	}
	return name
}

// instead returns the language of a text that is clearly not in the declared one, "" otherwise. A
// question with a long message of a program, which is English, starts in the language of who asks. Themes declare
// English, and write days and labels in it: where that is declared, it is enough if the start is not clearly English.
func (p *profiles) instead(declared, text string) string {
	start := p.fit(text, startRead)
	of := slices.Index(p.names, declared)
	tells := 2*start.over(of) >= start.all // not in a list with an English date and a headline
	if !tells && (declared != "en" || start.best == of && start.lead > start.all) {
		return ""
	}
	f := p.fit(text, trigramsRead)
	switch {
	case f.all < leastInstead, 4*f.over(of) < 7*f.all:
		return ""
	case tells && f.best != start.best, !tells && f.all < 2*leastInstead:
		return ""
	}
	return p.certain(f, text)
}

// insteadByProse is instead for the sentences of a text: a page on programs has listings between them, and a list
// words of its theme. For a label other than English most of the text must say the same: a shop may write its own lines
// in the declared language, and what it sells in English. Under en it is enough that the words of the sentences, each
// of them once, are clearly in another language: a list says "This entry was posted" as often as it has entries.
func (p *profiles) insteadByProse(declared, text string) string {
	of := slices.Index(p.names, declared)
	if declared == "en" {
		if f := p.fit(prose(text, startProse), trigramsRead); f.all > trigramsRead && 2*f.over(of) < f.all {
			return "" // as below, but most pages under en are in English, and need not be read so far
		}
	}
	own := prose(text, languageText)
	if len(own) < leastProse {
		return ""
	}
	name := p.instead(declared, own)
	if declared != "en" {
		if name == "" {
			return ""
		}
		if f := p.fit(text, trigramsRead); p.names[f.best] != name || f.over(of) < f.all {
			return ""
		}
		return name
	}
	if name != "" {
		return name
	}
	f := p.fit(own, trigramsRead)
	if 2*f.over(of) < f.all {
		return ""
	}
	each := p.fit(evidence(own), trigramsRead)
	if each.best != f.best || each.all < 2*leastInstead || 4*each.over(of) < 7*each.all {
		return ""
	}
	return p.names[f.best]
}

// quotes reports whether a text that has other letters than the declared language is a text in that language about the
// other one, with examples: its sentences in Latin letters are in the declared language, and have more letters than the
// long lines have of the others, and half as many as all lines. These weigh more, as in script.
func (p *profiles) quotes(declared, text string) bool {
	var b strings.Builder
	own, others, long := 0, 0, 0
	for line := range strings.Lines(Cut(text, quotesRead)) {
		latin, other := lettersOf(line)
		others += other
		if other >= longExample {
			long += other
		}
		if other > 0 || !isSentence(line) {
			continue
		}
		own += latin
		if b.Len() < languageText {
			b.WriteString(line)
		}
	}
	if 2*own < others || own < long || b.Len() < leastProse {
		return false
	}
	f := p.fit(b.String(), trigramsRead)
	return p.names[f.best] == declared
}

const (
	quotesRead  = 32 << 10 // bytes of a text that are read for its examples: the introduction of a manual may have none
	longExample = 60       // letters as lettersOf counts them: 20 ideographs
)

// lettersOf counts the letters of a text, those that are not Latin as in script.
func lettersOf(text string) (latin, other int) {
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
		case r < 0x370:
			latin++
		case IsIdeograph(r) || r >= 0x3040 && r <= 0x30ff || r >= 0xac00 && r <= 0xd7a3:
			other += 3
		default:
			other += 2
		}
	}
	return latin, other
}

// otherLetters are the languages that are not written in Latin letters. Those that are at times, such as Serbian,
// are not among them.
const otherLetters = " am ar be bg bn el fa gu he hi hy ja ka km kn ko lo mk ml mr my ne pa ru si ta te th uk ur zh "

// untranslated returns the language of a text in Latin letters, which the declared language is not written in.
// It returns "" if the text has other letters too, and if the words of its prose alone do not tell a language: a program,
// a list of names or words of the declared language in Latin letters.
func (p *profiles) untranslated(declared, text string) string {
	if !strings.Contains(otherLetters, " "+declared+" ") || !isLatin(text) {
		return ""
	}
	f := p.fit(text, trigramsRead)
	name := p.certain(f, text)
	if name == "" || f.all < leastInstead {
		return ""
	}
	if own := p.fit(evidence(text), trigramsRead); own.best != f.best || own.all < leastUntranslated || 2*own.lead < 3*own.all {
		return ""
	}
	return name
}

// isLatin reports whether hardly any letter of a text's start, at most one in fifty, is not a Latin one.
func isLatin(text string) bool {
	text = Cut(text, languageText)
	latin, other := 0, 0
	for i, r := range text {
		switch {
		case !unicode.IsLetter(r):
		case r < 0x370 || unicode.Is(unicode.Latin, r):
			latin++
		case other*50 > latin+len(text)-i:
			return false // whatever follows
		default:
			other++
		}
	}
	return latin > 0 && other*50 <= latin
}

// A fit says how well a text's trigrams fit to the language in which they are most likely.
type fit struct {
	best  int // its number
	lead  int // half nats by which it is likelier than any other
	all   int // trigrams
	known int // of these, that the language's line has

	sums []int // half nats by which it is likelier in each language than if all its trigrams were rare
}

// over returns by how many half nats a text is likelier in its best language than in another one.
func (f fit) over(other int) int { return f.sums[f.best] - f.sums[other] }

// rowsPacked is how many gains have room in 8 bits.
const rowsPacked = 255 / rareTrigram

// fit reads up to most trigrams of a text, which are at most trigramsRead.
func (p *profiles) fit(text string, most int) fit {
	var packed [gainWords]uint64      // 8 bits have what rowsPacked trigrams gain
	var met [trigramsRead]*trigramRow // those that are known
	known, all := 0, 0
	sums := make([]int, len(p.names))
	unpack := func() {
		for i := range sums {
			sums[i] += int(uint8(packed[i/8] >> (i % 8 * 8)))
		}
		clear(packed[:])
	}
	for key := range trigramsOf(text) {
		if all++; all > most {
			break
		}
		row := p.rows.find(key)
		if row.trigram == 0 {
			continue
		}
		met[known] = row
		known++
		for i, gain := range row.gains {
			packed[i] += gain
		}
		if known%rowsPacked == 0 {
			unpack()
		}
	}
	unpack()
	best, second := 0, 1
	for i := 1; i < len(sums); i++ {
		if sums[i] > sums[best] {
			best, second = i, best
		} else if sums[i] > sums[second] || second == best {
			second = i
		}
	}
	ofBest := 0
	for _, row := range met[:known] {
		if uint8(row.gains[best/8]>>(best%8*8)) > 0 {
			ofBest++
		}
	}
	return fit{best, sums[best] - sums[second], all, ofBest, sums}
}

// aroundWords are the marks that may stand before and after a word.
const aroundWords = ".,;:!?()[]\"'«»“”„‚‘’…–—-*•·|"

// asciiAround has the marks of aroundWords that are ASCII.
var asciiAround = func() (is [utf8.RuneSelf]bool) {
	for _, r := range aroundWords {
		if r < utf8.RuneSelf {
			is[r] = true
		}
	}
	return is
}()

// trimmed returns a text without spaces without the marks around it.
func trimmed(s string) string {
	for s != "" && s[0] < utf8.RuneSelf && asciiAround[s[0]] {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] < utf8.RuneSelf && asciiAround[s[len(s)-1]] {
		s = s[:len(s)-1]
	}
	if s != "" && (s[0] >= utf8.RuneSelf || s[len(s)-1] >= utf8.RuneSelf) {
		return strings.Trim(s, aroundWords)
	}
	return s
}

// prose returns the first lines of a text that are sentences, some of them: as many as have a number of bytes.
func prose(text string, some int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if b.Len() >= some {
			break
		}
		if isSentence(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// isSentence reports whether four of five parts of a line are words.
func isSentence(line string) bool {
	own, all := 0, 0
	for part := range strings.FieldsSeq(line) {
		if all++; isWord(trimmed(part)) {
			own++
		}
	}
	return all >= leastSentence && 5*own >= 4*all
}

const (
	leastSentence = 8       // parts of a line
	leastProse    = 200     // bytes of all sentences
	startProse    = 1 << 10 // bytes of sentences that most often have trigramsRead trigrams
)

// wordsOfProse yields the parts of a text between spaces, without the lines that are source code: such a line has an operator between
// spaces and is no sentence, "val get : floatarray -> int".
func wordsOfProse(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if hasOperator(line) && !isSentence(line) {
				continue
			}
			for word := range strings.FieldsSeq(line) {
				if !yield(word) {
					return
				}
			}
		}
	}
}

// hasOperator reports whether a line has an operator of a program as one of its parts.
func hasOperator(line string) bool {
	if !strings.ContainsAny(line, "-=:{") {
		return false // as most
	}
	for part := range strings.FieldsSeq(line) {
		switch part {
		case "->", "=>", "<-", "=", ":=", "==", "::", "{":
			return true
		}
	}
	return false
}

// evidence returns the words of a text that can tell its language, each of them once: neither source code, nor names in programs
// (boost::hana, listItem, x_y), nor words in capitals. It returns "" if few of them start with a small letter: names of
// persons and places tell no language, and "Verse 1 Verse 2" says one word and not fifty. A text that is
// mostly in capitals is returned as it is.
func evidence(text string) string {
	var b strings.Builder
	seen := map[string]bool{}
	small, all, capitals := 0, 0, 0
	for word := range wordsOfProse(text) {
		word = trimmed(word)
		if b.Len() >= evidenceRead {
			break
		}
		if seen[word] {
			continue
		}
		if !isWord(word) {
			if len(word) > 1 && word == strings.ToUpper(word) && strings.ContainsFunc(word, unicode.IsLetter) {
				capitals++
			}
			continue
		}
		seen[word] = true
		if all++; !startsInCapital(word) {
			small++
		}
		b.WriteString(word)
		b.WriteByte(' ')
	}
	if capitals > 3*all {
		return text
	}
	if small*leastSmall < all {
		return ""
	}
	return b.String()
}

const (
	evidenceRead = 2 << 10 // bytes, which have trigramsRead trigrams even of three bytes a letter
	leastSmall   = 4       // at least one word in so many starts with a small letter
)

// isWord reports whether a text without spaces is a word: letters that may be joined by an apostrophe or a hyphen,
// without capitals behind its first letter.
func isWord(s string) bool {
	at := 0
	for at < len(s) && s[at] < utf8.RuneSelf {
		b := s[at]
		if letter := b|0x20 >= 'a' && b|0x20 <= 'z'; at > 0 && letter && b < 'a' || !letter && b != '\'' && b != '-' {
			return false
		}
		at++
	}
	if at == len(s) {
		return s != ""
	}
	for i, r := range s {
		switch {
		case i > 0 && unicode.IsUpper(r):
			return false
		case !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune("'’-‐·\u00ad\u200c\u200d", r):
			return false
		}
	}
	return s != ""
}

func startsInCapital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// trigramsOf yields the runs of three letters of a text in lower case, with a space before and
// after each word.
func trigramsOf(text string) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		const mask = 1<<63 - 1
		key, length := uint64(' '), 0 // of the word so far
		for _, r := range text {
			if r < 0x80 {
				if r |= 0x20; r < 'a' || r > 'z' {
					r = ' '
				}
			} else if unicode.IsLetter(r) || unicode.IsMark(r) {
				r = unicode.ToLower(r)
			} else {
				r = ' '
			}
			if r == ' ' && length == 0 {
				continue
			}
			key = (key<<21 | uint64(r)) & mask
			if length++; length >= 2 && !yield(key) {
				return
			}
			if r == ' ' {
				key, length = ' ', 0
			}
		}
		if length >= 1 {
			yield((key<<21 | ' ') & mask)
		}
	}
}

package corpus

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A vocabulary has the words and patterns of a language's articles. Lists are separated by
// spaces, or by bars if entries have spaces.
type vocabulary struct {
	topics                            []topic
	words, extra, times               string
	patterns, lists, headings, titles []string
	given, family                     string
	places, orgs, orgKinds            string
	months                            string
	site                              string
	labels                            labels
}

type topic struct{ slug, label, nouns, verbs, adjs string }

// labels are the words of templates.
type labels struct {
	Home, more, Related, Latest, Comments, By, Reply          string
	Older, Newer, Page, about, Archive, Library, Jobs, Mirror string
	Elsewhere, Calendar, Private, Open                        string
	Search, Share, Imprint, Advert, Follow                    string
}

// The sizes of the pools decide how often two articles of a topic share a
// sentence: with 115 of 2,000 each, 6 in the mean.
const (
	PoolSize      = 2000
	SmallPoolSize = 400
	poolPersons   = 600
)

// A Corpus is a vocabulary expanded into sentences, with all words in place and only the
// facts open.
type Corpus struct {
	Lang      string
	Chinese   bool
	Labels    labels
	Slugs     []string // of topics
	Topics    []string // labels of topics
	Sentences [][]Sentence
	lists     [][]Sentence
	headings  [][]Sentence
	Titles    [][]Sentence
	Persons   []string
	Places    []string
	orgs      []string
	Words     []string
	extra     []string
	Months    []string
	Papers    []string
}

// A Sentence is a text with gaps for facts. It is stored in one string for the CPU's cache:
// a page has a hundred sentences from all parts of the pools.
type Sentence struct {
	// script is a sequence of steps: the length of a piece of text, the piece, and the
	// fact that follows it, as its letter in the patterns, or 0 for none.
	script string
	size   int // approximate tokens: a fact counts as two
}

// pieceMax is the longest piece of one step, in bytes.
const pieceMax = 255

// Facts are the facts of one text.
type Facts struct{ p, q, l, m, o string }

// English makes the English corpus of a seed.
func English(seed uint64) *Corpus { return newCorpus("en", &englishVocabulary, seed) }

// Chinese makes the Chinese corpus of a seed.
func Chinese(seed uint64) *Corpus { return newCorpus("zh", &chineseVocabulary, seed) }

// EnglishSubjects makes an English corpus in which each topic is divided into this many subjects:
// they have different nouns, and share verbs, adjectives and patterns.
func EnglishSubjects(seed uint64, parts int) *Corpus {
	return newCorpus("en", divided(englishVocabulary, parts), seed)
}

// ChineseSubjects does the same for Chinese.
func ChineseSubjects(seed uint64, parts int) *Corpus {
	return newCorpus("zh", divided(chineseVocabulary, parts), seed)
}

// divided returns a vocabulary with each topic in parts, which are named by their first two nouns.
func divided(v vocabulary, parts int) *vocabulary {
	var subjects []topic
	for _, t := range v.topics {
		nouns := strings.Fields(t.nouns)
		for part := range parts {
			var own []string
			for i := part; i < len(nouns); i += parts {
				own = append(own, nouns[i])
			}
			name := strings.Join(own[:min(2, len(own))], " ")
			subjects = append(subjects, topic{
				slug: t.slug + "-" + strconv.Itoa(part+1), label: name,
				nouns: strings.Join(own, " "), verbs: t.verbs, adjs: t.adjs,
			})
		}
	}
	v.topics = subjects
	return &v
}

// LabelsOnly is an English corpus without sentences, for templates.
func LabelsOnly() *Corpus { return &Corpus{Lang: "en", Labels: englishVocabulary.labels} }

// EnglishTopics returns the number of English topics.
func EnglishTopics() int { return len(englishVocabulary.topics) }

// EnglishNouns returns the nouns of a topic.
func EnglishNouns(topic int) []string { return strings.Fields(englishVocabulary.topics[topic].nouns) }

// EnglishWords returns the words of a topic, and those that belong to no topic.
func EnglishWords(topic int) []string {
	t := &englishVocabulary.topics[topic]
	return strings.Fields(t.nouns + " " + t.verbs + " " + t.adjs + " " + englishVocabulary.words + " " + englishVocabulary.extra)
}

func newCorpus(lang string, v *vocabulary, seed uint64) *Corpus {
	d := RNG(seed)
	o := &Corpus{
		Lang: lang, Chinese: lang == "zh", Labels: v.labels,
		Places: strings.Split(v.places, "|"), Words: strings.Fields(v.words), extra: strings.Fields(v.extra),
		Months: strings.Fields(v.months), Papers: strings.Fields(v.site),
	}
	given, family := strings.Fields(v.given), strings.Fields(v.family)
	for range poolPersons {
		g, f := Pick(given, d.Uint64()), Pick(family, d.Uint64())
		if o.Chinese {
			o.Persons = append(o.Persons, f+g)
		} else {
			o.Persons = append(o.Persons, g+" "+f)
		}
	}
	names := strings.FieldsFunc(v.orgs, func(r rune) bool { return r == '|' || r == ' ' && o.Chinese })
	for _, name := range names {
		for _, kind := range strings.Split(v.orgKinds, "|") {
			if o.Chinese {
				o.orgs = append(o.orgs, name+kind)
			} else {
				o.orgs = append(o.orgs, "the "+name+" "+kind)
			}
		}
	}
	for _, t := range v.topics {
		g := grammar{v: v, zh: o.Chinese, nouns: strings.Fields(t.nouns), verbs: strings.Fields(t.verbs), adjs: strings.Fields(t.adjs),
			words: o.Words, extra: o.extra, times: strings.Split(v.times, "|")}
		o.Slugs = append(o.Slugs, t.slug)
		o.Topics = append(o.Topics, t.label)
		o.Sentences = append(o.Sentences, g.pool(v.patterns, PoolSize, &d))
		o.lists = append(o.lists, g.pool(v.lists, SmallPoolSize, &d))
		o.headings = append(o.headings, g.pool(v.headings, SmallPoolSize, &d))
		o.Titles = append(o.Titles, g.pool(v.titles, SmallPoolSize, &d))
	}
	return o
}

// A grammar fills the patterns with one topic's words.
type grammar struct {
	v                                       *vocabulary
	zh                                      bool
	nouns, verbs, adjs, words, extra, times []string
}

func (g *grammar) pool(patterns []string, n int, d *RNG) []Sentence {
	cut := make([][]step, len(patterns))
	for i, p := range patterns {
		cut[i] = stepsOf(p)
	}
	// The scripts are parts of one string: n allocations less.
	made, ends := make([]Sentence, n), make([]int, n)
	f := filling{script: make([]byte, 0, 128*n)}
	for i := range made {
		f = filling{script: f.script, start: len(f.script), piece: f.piece[:0]}
		g.fill(&f, cut[(i+d.IntN(3))%len(cut)], d)
		made[i].size, ends[i] = f.size, len(f.script)
	}
	scripts, start := string(f.script), 0
	for i, end := range ends {
		made[i].script, start = scripts[start:end], end
	}
	return made
}

// A step of a pattern is a text, and the name of the gap behind it, or nothing at the end.
type step struct{ before, gap string }

func stepsOf(pattern string) []step {
	var steps []step
	for pattern != "" {
		before, rest, _ := strings.Cut(pattern, "{")
		gap, after, _ := strings.Cut(rest, "}")
		steps, pattern = append(steps, step{before, gap}), after
	}
	return steps
}

// A filling is a sentence in progress, made from a pattern.
type filling struct {
	script []byte
	start  int // of the sentence in script, which has those before it
	piece  []byte
	size   int
}

// end finishes the piece, which is followed by fact.
func (f *filling) end(fact byte) {
	f.size += Tokens(f.piece)
	if len(f.script) == f.start && len(f.piece) > 0 {
		if first := f.piece[0]; first < utf8.RuneSelf && unicode.IsLetter(rune(first)) {
			f.piece[0] = Upper(first)
		} else {
			f.piece = []byte(Capital(string(f.piece)))
		}
	}
	left := f.piece
	for len(left) > pieceMax {
		f.script = append(append(append(f.script, pieceMax), left[:pieceMax]...), 0)
		left = left[pieceMax:]
	}
	f.script = append(append(append(f.script, byte(len(left))), left...), fact)
	f.piece = f.piece[:0]
}

func (g *grammar) fill(f *filling, pattern []step, d *RNG) {
	for _, s := range pattern {
		f.piece = append(f.piece, s.before...)
		switch s.gap {
		case "":
		case "n":
			f.piece = append(f.piece, Pick(g.nouns, d.Uint64())...)
		case "ns":
			f.piece = g.appendPlural(f.piece, Pick(g.nouns, d.Uint64()))
		case "v":
			f.piece = append(f.piece, Pick(g.verbs, d.Uint64())...)
		case "a":
			f.piece = g.article(f.piece, Pick(g.adjs, d.Uint64()))
		case "A":
			f.piece = append(f.piece, Capital(Pick(g.adjs, d.Uint64()))...)
		case "w":
			f.piece = append(f.piece, Pick(g.words, d.Uint64())...)
		case "x":
			f.piece = append(f.piece, Pick(g.extra, d.Uint64())...)
		case "t":
			f.piece = append(f.piece, Pick(g.times, d.Uint64())...)
		default:
			f.end(s.gap[0])
			f.size += 2
		}
	}
	if len(f.piece) > 0 {
		f.end(0)
	}
}

// article appends an adjective, and makes an "a" before a vowel an "an".
func (g *grammar) article(piece []byte, adj string) []byte {
	if !g.zh && strings.IndexByte("aeiou", adj[0]) >= 0 && (bytes.HasSuffix(piece, []byte(" a ")) || bytes.EqualFold(piece, []byte("a "))) {
		piece = append(piece[:len(piece)-1], "n "...)
	}
	return append(piece, adj...)
}

func (g *grammar) appendPlural(piece []byte, noun string) []byte {
	if g.zh {
		return append(piece, noun...)
	}
	switch {
	case strings.HasSuffix(noun, "y") && !strings.ContainsAny(noun[len(noun)-2:len(noun)-1], "aeiou"):
		return append(append(piece, noun[:len(noun)-1]...), "ies"...)
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		return append(append(piece, noun...), "es"...)
	}
	return append(append(piece, noun...), 's')
}

// Capital makes the first letter, which may follow a quotation mark, upper case.
func Capital(s string) string {
	for i, r := range s {
		if unicode.IsLetter(r) {
			return s[:i] + string(unicode.ToUpper(r)) + s[i+utf8.RuneLen(r):]
		}
	}
	return s
}

func (o *Corpus) Facts(seed uint64) Facts {
	f := Facts{o: Pick(o.orgs, Mix(seed, 5))}
	f.p, f.q = pickTwo(o.Persons, Mix(seed, 1))
	f.l, f.m = pickTwo(o.Places, Mix(seed, 3))
	return f
}

// pickTwo returns two different elements of a list.
func pickTwo(from []string, h uint64) (string, string) {
	n := uint64(len(from))
	return from[h%n], from[(h%n+1+(h>>32)%(n-1))%n]
}

// Append appends the sentence with its facts; salt decides its numbers and years. If link is not
// nil, the first fact that is a name is put between link[0] and link[1].
func (s *Sentence) Append(dst []byte, f *Facts, salt uint64, link *[2]string) []byte {
	script := s.script
	for step := uint64(0); script != ""; step++ {
		n := int(script[0])
		dst = append(dst, script[1:1+n]...)
		fact := script[1+n]
		script = script[2+n:]
		var name string
		switch fact {
		case 0:
			continue
		case '#':
			dst = strconv.AppendUint(dst, 2+Mix(salt, step)%988, 10)
			continue
		case 'y':
			dst = strconv.AppendUint(dst, 1930+Mix(salt, step)%96, 10)
			continue
		case 'p':
			name = f.p
		case 'q':
			name = f.q
		case 'l':
			name = f.l
		case 'm':
			name = f.m
		case 'o':
			name = f.o
		}
		if link != nil {
			dst = append(dst, link[0]...)
		}
		at := len(dst)
		dst = append(dst, name...)
		if step == 0 && n == 0 {
			dst[at] = Upper(dst[at]) // "the Harrow Trust" at the start of a sentence
		}
		if link != nil {
			dst = append(dst, link[1]...)
			link = nil
		}
	}
	return dst
}

// Upper returns the upper case of an ASCII letter.
func Upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

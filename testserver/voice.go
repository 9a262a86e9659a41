package testserver

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A vocabulary is what a language's articles are made of; lists are separated
// by spaces, or by bars where an entry has spaces.
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
	home, more, related, latest, comments, by, reply          string
	older, newer, page, about, archive, library, jobs, mirror string
	elsewhere, calendar, private, open                        string
	search, share, imprint, advert, follow                    string
}

// The sizes of the pools decide how often two articles of a topic share a
// sentence: with 115 of 2,000 each, 6 in the mean.
const (
	poolSentences = 2000
	poolOthers    = 400
	poolPersons   = 600
)

// A voice is a vocabulary made ready: sentences with all words in place and only
// the facts open.
type voice struct {
	lang      string
	chinese   bool
	labels    labels
	slugs     []string // of topics
	topics    []string // labels of topics
	sentences [][]sentence
	lists     [][]sentence
	headings  [][]sentence
	titles    [][]sentence
	persons   []string
	places    []string
	orgs      []string
	words     []string
	extra     []string
	months    []string
	papers    []string
}

// A sentence is text with gaps for facts. It is kept in one string, for the sake
// of the cache: a page is made of a hundred sentences from all over the pools.
type sentence struct {
	// script is a run of steps: the length of a piece of text, the piece, and
	// the fact that follows it, by its letter in the patterns, or 0 for none.
	script string
	size   int // tokens, about: a fact counts as two
}

// pieceMax is the longest piece of one step, in bytes.
const pieceMax = 255

// facts are what one text tells of.
type facts struct{ p, q, l, m, o string }

func newVoice(lang string, v *vocabulary, seed uint64) *voice {
	d := dice(seed)
	o := &voice{
		lang: lang, chinese: lang == "zh", labels: v.labels,
		places: strings.Split(v.places, "|"), words: strings.Fields(v.words), extra: strings.Fields(v.extra),
		months: strings.Fields(v.months), papers: strings.Fields(v.site),
	}
	given, family := strings.Fields(v.given), strings.Fields(v.family)
	for range poolPersons {
		g, f := pick(given, d.roll()), pick(family, d.roll())
		if o.chinese {
			o.persons = append(o.persons, f+g)
		} else {
			o.persons = append(o.persons, g+" "+f)
		}
	}
	names := strings.FieldsFunc(v.orgs, func(r rune) bool { return r == '|' || r == ' ' && o.chinese })
	for _, name := range names {
		for _, kind := range strings.Split(v.orgKinds, "|") {
			if o.chinese {
				o.orgs = append(o.orgs, name+kind)
			} else {
				o.orgs = append(o.orgs, "the "+name+" "+kind)
			}
		}
	}
	for _, t := range v.topics {
		g := grammar{v: v, zh: o.chinese, nouns: strings.Fields(t.nouns), verbs: strings.Fields(t.verbs), adjs: strings.Fields(t.adjs),
			words: o.words, extra: o.extra, times: strings.Split(v.times, "|")}
		o.slugs = append(o.slugs, t.slug)
		o.topics = append(o.topics, t.label)
		o.sentences = append(o.sentences, g.pool(v.patterns, poolSentences, &d))
		o.lists = append(o.lists, g.pool(v.lists, poolOthers, &d))
		o.headings = append(o.headings, g.pool(v.headings, poolOthers, &d))
		o.titles = append(o.titles, g.pool(v.titles, poolOthers, &d))
	}
	return o
}

// A grammar fills the patterns with one topic's words.
type grammar struct {
	v                                       *vocabulary
	zh                                      bool
	nouns, verbs, adjs, words, extra, times []string
}

func (g *grammar) pool(patterns []string, n int, d *dice) []sentence {
	made := make([]sentence, n)
	for i := range made {
		made[i] = g.fill(patterns[(i+d.below(3))%len(patterns)], d)
	}
	return made
}

// A filling is a pattern on its way to a sentence.
type filling struct {
	script []byte
	piece  []byte
	size   int
}

// end closes the piece, which fact follows.
func (f *filling) end(fact byte) {
	f.size += tokens(string(f.piece))
	if len(f.script) == 0 && len(f.piece) > 0 {
		f.piece = []byte(capital(string(f.piece)))
	}
	for len(f.piece) > pieceMax {
		f.script = append(append(append(f.script, pieceMax), f.piece[:pieceMax]...), 0)
		f.piece = f.piece[pieceMax:]
	}
	f.script = append(append(append(f.script, byte(len(f.piece))), f.piece...), fact)
	f.piece = f.piece[:0]
}

func (g *grammar) fill(pattern string, d *dice) sentence {
	var f filling
	for pattern != "" {
		before, rest, open := strings.Cut(pattern, "{")
		f.piece = append(f.piece, before...)
		if !open {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		pattern = after
		switch name {
		case "n":
			f.piece = append(f.piece, pick(g.nouns, d.roll())...)
		case "ns":
			f.piece = append(f.piece, g.plural(pick(g.nouns, d.roll()))...)
		case "v":
			f.piece = append(f.piece, pick(g.verbs, d.roll())...)
		case "a":
			f.piece = g.article(f.piece, pick(g.adjs, d.roll()))
		case "A":
			f.piece = append(f.piece, capital(pick(g.adjs, d.roll()))...)
		case "w":
			f.piece = append(f.piece, pick(g.words, d.roll())...)
		case "x":
			f.piece = append(f.piece, pick(g.extra, d.roll())...)
		case "t":
			f.piece = append(f.piece, pick(g.times, d.roll())...)
		default:
			f.end(name[0])
			f.size += 2
		}
	}
	if len(f.piece) > 0 {
		f.end(0)
	}
	return sentence{script: string(f.script), size: f.size}
}

// article appends an adjective, and makes an "a" before a vowel an "an".
func (g *grammar) article(piece []byte, adj string) []byte {
	if !g.zh && strings.IndexByte("aeiou", adj[0]) >= 0 && (bytes.HasSuffix(piece, []byte(" a ")) || bytes.EqualFold(piece, []byte("a "))) {
		piece = append(piece[:len(piece)-1], "n "...)
	}
	return append(piece, adj...)
}

func (g *grammar) plural(noun string) string {
	if g.zh {
		return noun
	}
	switch {
	case strings.HasSuffix(noun, "y") && !strings.ContainsAny(noun[len(noun)-2:len(noun)-1], "aeiou"):
		return noun[:len(noun)-1] + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		return noun + "es"
	}
	return noun + "s"
}

// capital raises the first letter, which may follow a quotation mark.
func capital(s string) string {
	for i, r := range s {
		if unicode.IsLetter(r) {
			return s[:i] + string(unicode.ToUpper(r)) + s[i+utf8.RuneLen(r):]
		}
	}
	return s
}

func (o *voice) facts(seed uint64) facts {
	f := facts{o: pick(o.orgs, mix(seed, 5))}
	f.p, f.q = pickTwo(o.persons, mix(seed, 1))
	f.l, f.m = pickTwo(o.places, mix(seed, 3))
	return f
}

// pickTwo picks two different places of a list.
func pickTwo(from []string, h uint64) (string, string) {
	n := uint64(len(from))
	return from[h%n], from[(h%n+1+(h>>32)%(n-1))%n]
}

// tell appends the sentence with its facts; salt decides its numbers and years.
// With a link, the first fact that is a name stands in an anchor between
// link[0] and link[1].
func (s *sentence) tell(dst []byte, f *facts, salt uint64, link *[2]string) []byte {
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
			dst = strconv.AppendUint(dst, 2+mix(salt, step)%988, 10)
			continue
		case 'y':
			dst = strconv.AppendUint(dst, 1930+mix(salt, step)%96, 10)
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
			dst[at] = upper(dst[at]) // "the Harrow Trust" at the head of a sentence
		}
		if link != nil {
			dst = append(dst, link[1]...)
			link = nil
		}
	}
	return dst
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

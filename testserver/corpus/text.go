package corpus

import (
	"bytes"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// A Text is an article, stored as the numbers from which it is made. Each of its sentences
// can be written without the others.
type Text struct {
	Corpus *Corpus
	Topic  int
	Title  string
	Seed   uint64 // of its sentences and facts
	Frame  uint64 // of its paragraphs, and of the sentences that it shares with its siblings
	Shared int    // percent of the sentences that come from frame
	Length int    // sentences, before the edits
	Day    int    // of its date line, days since 1970
	edits  []edit // by position

	Origin *Text // the text that it is an edited version of; itself for an original
}

// An edit changes one sentence.
type edit struct {
	at   int
	how  change
	seed uint64
}

type change uint8

const (
	replaced change = iota
	removed
	inserted // before the sentence
	reworded // one word of it
)

// Markup is the markup before and after the blocks of a text.
type Markup struct {
	Title, Lead, Heading, Para, Quote, List, Item [2]string
}

// PlainMarkup is the markup of a text without layout: one block a line.
var PlainMarkup = Markup{
	Title: [2]string{"", "\n"}, Lead: [2]string{"", "\n"}, Heading: [2]string{"", "\n"}, Para: [2]string{"", "\n"},
	Quote: [2]string{"", "\n"}, Item: [2]string{"", "\n"},
}

// blockKinds is the order of an article's blocks, repeated to its end.
var blockKinds = []blockKind{paragraph, paragraph, paragraph, headed, paragraph, bullets, paragraph, quotation, headed, paragraph}

type blockKind uint8

const (
	paragraph blockKind = iota
	headed              // a heading, then a paragraph
	bullets
	quotation
)

// Append appends the text. The links are in the second and fourth
// block, around a name.
func (t *Text) Append(dst []byte, m *Markup, links []string) []byte {
	f := t.Corpus.Facts(t.Seed)
	dst = append(dst, m.Title[0]...)
	dst = append(dst, t.Title...)
	dst = append(dst, m.Title[1]...)
	edits := t.edits
	for at, block := 0, 0; at < t.Length; block++ {
		kind := blockKinds[block%len(blockKinds)]
		h := Mix(t.Frame^0xb10c, uint64(block))
		size := min(3+int(h%4), t.Length-at)
		mark := &m.Para
		switch {
		case block == 0:
			mark = &m.Lead
		case kind == headed:
			dst = append(dst, m.Heading[0]...)
			s := &t.Corpus.headings[t.Topic][Mix(t.Frame, h)%SmallPoolSize]
			dst = s.Append(dst, &f, t.Frame^h, nil)
			dst = append(dst, m.Heading[1]...)
		case kind == bullets:
			dst = append(dst, m.List[0]...)
		case kind == quotation:
			mark, size = &m.Quote, 1
		}
		if kind == bullets {
			mark = &m.Item
		} else {
			dst = append(dst, mark[0]...)
		}
		if block == 0 {
			dst = t.appendDateline(dst, &f)
		}
		var link *[2]string
		if (block == 1 || block == 3) && len(links) > 0 {
			link = &[2]string{links[0], "</a>"}
			links = links[1:]
		}
		for end := at + size; at < end; at++ {
			how, told := t.pool(kind), true
			seed := t.seedAt(at)
			word := uint64(0)
			for len(edits) > 0 && edits[0].at == at {
				e := edits[0]
				edits = edits[1:]
				switch e.how {
				case replaced:
					seed = e.seed
				case removed:
					told = false
				case reworded:
					word = e.seed | 1
				case inserted:
					dst = t.appendSentence(dst, how, e.seed, &f, mark, kind == bullets, nil, 0)
				}
			}
			if !told {
				continue
			}
			if word != 0 {
				dst = t.appendSentence(dst, how, Mix(seed, uint64(at)), &f, mark, kind == bullets, nil, word)
				continue
			}
			dst = t.appendSentence(dst, how, Mix(seed, uint64(at)), &f, mark, kind == bullets, link, 0)
			link = nil
		}
		if kind == bullets {
			dst = append(dst, m.List[1]...)
		} else {
			dst = append(dst, mark[1]...)
		}
	}
	return dst
}

func (t *Text) seedAt(at int) uint64 {
	if t.Shared > 0 && Mix(t.Frame^0x5a5a, uint64(at))%100 < uint64(t.Shared) {
		return t.Frame
	}
	return t.Seed
}

func (t *Text) pool(k blockKind) []Sentence {
	if k == bullets {
		return t.Corpus.lists[t.Topic]
	}
	return t.Corpus.Sentences[t.Topic]
}

// appendSentence appends one sentence or list item; a word other than 0 rewords it.
func (t *Text) appendSentence(dst []byte, from []Sentence, h uint64, f *Facts, mark *[2]string, item bool, link *[2]string, word uint64) []byte {
	if item {
		dst = append(dst, mark[0]...)
	}
	start := len(dst)
	dst = from[h%uint64(len(from))].Append(dst, f, h^t.Seed, link)
	if word != 0 {
		dst = t.reword(dst, start, word)
	}
	if item {
		return append(dst, mark[1]...)
	}
	if t.Corpus.Chinese {
		return dst
	}
	return append(dst, ' ')
}

// reword changes one word of the sentence that starts at start: the second
// word of an English sentence is replaced, and two characters are inserted before the full
// stop of a Chinese one. Sentences of one word do not change.
func (t *Text) reword(dst []byte, start int, h uint64) []byte {
	said := dst[start:]
	if t.Corpus.Chinese {
		_, size := utf8.DecodeLastRune(said)
		return slices.Insert(dst, len(dst)-size, []byte(Pick(t.Corpus.extra, h))...)
	}
	from := bytes.IndexByte(said, ' ') + 1
	to := from + bytes.IndexByte(said[from:], ' ')
	if from == 0 || to < from {
		return dst
	}
	return slices.Replace(dst, start+from, start+to, []byte(Pick(t.Corpus.Words, h))...)
}

// appendDateline appends place and date.
func (t *Text) appendDateline(dst []byte, f *Facts) []byte {
	dst = append(dst, f.l...)
	if t.Corpus.Chinese {
		dst = AppendDate(dst, t.Corpus, t.Day)
		return append(dst, "电："...)
	}
	dst = append(dst, ", "...)
	dst = AppendDate(dst, t.Corpus, t.Day)
	return append(dst, " — "...)
}

// AppendDate appends a date, given in days since 1970.
func AppendDate(dst []byte, v *Corpus, day int) []byte {
	y, m, d := time.Unix(int64(day)*86400, 0).UTC().Date()
	if v.Chinese {
		dst = append(strconv.AppendInt(dst, int64(y), 10), "年"...)
		dst = append(append(dst, v.Months[m-1]...), "月"...)
		return append(strconv.AppendInt(dst, int64(d), 10), "日"...)
	}
	dst = append(strconv.AppendInt(dst, int64(d), 10), ' ')
	dst = append(append(dst, v.Months[m-1]...), ' ')
	return strconv.AppendInt(dst, int64(y), 10)
}

// AppendAbstract appends the first sentence without edits, as listings show it.
func (t *Text) AppendAbstract(dst []byte) []byte {
	f := t.Corpus.Facts(t.Seed)
	s := t.Corpus.Sentences[t.Topic]
	h := Mix(t.seedAt(0), 0)
	return s[h%uint64(len(s))].Append(dst, &f, h^t.Seed, nil)
}

// Author returns the name in the byline.
func (t *Text) Author() string { return Pick(t.Corpus.Persons, Mix(t.Seed, 9)) }

// Edited returns an edited form of an original: 1 to 3% of its words are
// changed by a light edit, 5 to 7.5% by a heavy one, which keeps the Jaccard
// of 3-shingles above 0.8. Half of the edits also change the date.
func (of *Text) Edited(rng *RNG, heavy bool) *Text {
	t := *of
	size := 0
	for at := range of.Length {
		size += of.sizeAt(at)
	}
	low, span := .01, .02
	if heavy {
		low, span = .05, .025
	}
	left := max(1, int(float64(size)*(low+span*float64(rng.IntN(1000))/1000)))
	if rng.IntN(2) == 0 {
		t.Day += 1 + rng.IntN(300)
	}
	used := map[int]bool{}
	for tries := 0; left > 0 && tries < 200 && len(used) < of.Length; tries++ {
		at := rng.IntN(of.Length)
		if used[at] {
			continue
		}
		e := edit{at: at, how: change(rng.IntN(3)), seed: rng.Uint64()}
		cost := of.sizeAt(at)
		if cost > left {
			if heavy {
				continue
			}
			e.how, cost = reworded, 2
		}
		used[at] = true
		left -= cost
		t.edits = append(t.edits, e)
	}
	slices.SortFunc(t.edits, func(a, b edit) int { return a.at - b.at })
	return &t
}

// sizeAt returns the number of tokens of a sentence. A list item counts as a sentence, which is
// slightly too much.
func (t *Text) sizeAt(at int) int {
	return t.Corpus.Sentences[t.Topic][Mix(t.seedAt(at), uint64(at))%PoolSize].size
}

package testserver

import (
	"bytes"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// A text is a document's content, kept as the numbers it is made from. Any
// sentence of it can be told without the others.
type text struct {
	voice  *voice
	topic  int
	title  string
	seed   uint64 // of its sentences and facts
	frame  uint64 // of its paragraphs, and of the sentences that siblings share
	shared int    // percent of the sentences that come from frame
	length int    // sentences, before the edits
	day    int    // of its date line, days since 1970
	edits  []edit // by position

	origin *text // what it is an edited form of; itself for an original
	home   *page // the first page that has it
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

// marks are what stands before and after the blocks of a text.
type marks struct {
	title, lead, heading, para, quote, list, item [2]string
}

// plain are the marks of a text without layout: one block a line.
var plain = marks{
	title: [2]string{"", "\n"}, lead: [2]string{"", "\n"}, heading: [2]string{"", "\n"}, para: [2]string{"", "\n"},
	quote: [2]string{"", "\n"}, item: [2]string{"", "\n"},
}

// blockKinds is the order in which an article's blocks come, over and over.
var blockKinds = []blockKind{paragraph, paragraph, paragraph, headed, paragraph, bullets, paragraph, quotation, headed, paragraph}

type blockKind uint8

const (
	paragraph blockKind = iota
	headed              // a heading, then a paragraph
	bullets
	quotation
)

// compose appends the text. The links stand in the second and fourth block,
// around a name that the text tells anyway.
func (t *text) compose(dst []byte, m *marks, links []string) []byte {
	f := t.voice.facts(t.seed)
	dst = append(dst, m.title[0]...)
	dst = append(dst, t.title...)
	dst = append(dst, m.title[1]...)
	edits := t.edits
	for at, block := 0, 0; at < t.length; block++ {
		kind := blockKinds[block%len(blockKinds)]
		h := mix(t.frame^0xb10c, uint64(block))
		size := min(3+int(h%4), t.length-at)
		mark := &m.para
		switch {
		case block == 0:
			mark = &m.lead
		case kind == headed:
			dst = append(dst, m.heading[0]...)
			s := &t.voice.headings[t.topic][mix(t.frame, h)%poolOthers]
			dst = s.tell(dst, &f, t.frame^h, nil)
			dst = append(dst, m.heading[1]...)
		case kind == bullets:
			dst = append(dst, m.list[0]...)
		case kind == quotation:
			mark, size = &m.quote, 1
		}
		if kind == bullets {
			mark = &m.item
		} else {
			dst = append(dst, mark[0]...)
		}
		if block == 0 {
			dst = t.dateline(dst, &f)
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
					dst = t.say(dst, how, e.seed, &f, mark, kind == bullets, nil, 0)
				}
			}
			if !told {
				continue
			}
			if word != 0 {
				dst = t.say(dst, how, mix(seed, uint64(at)), &f, mark, kind == bullets, nil, word)
				continue
			}
			dst = t.say(dst, how, mix(seed, uint64(at)), &f, mark, kind == bullets, link, 0)
			link = nil
		}
		if kind == bullets {
			dst = append(dst, m.list[1]...)
		} else {
			dst = append(dst, mark[1]...)
		}
	}
	return dst
}

func (t *text) seedAt(at int) uint64 {
	if t.shared > 0 && mix(t.frame^0x5a5a, uint64(at))%100 < uint64(t.shared) {
		return t.frame
	}
	return t.seed
}

func (t *text) pool(k blockKind) []sentence {
	if k == bullets {
		return t.voice.lists[t.topic]
	}
	return t.voice.sentences[t.topic]
}

// say appends one sentence or list item; a word other than 0 rewords it.
func (t *text) say(dst []byte, from []sentence, h uint64, f *facts, mark *[2]string, item bool, link *[2]string, word uint64) []byte {
	if item {
		dst = append(dst, mark[0]...)
	}
	start := len(dst)
	dst = from[h%uint64(len(from))].tell(dst, f, h^t.seed, link)
	if word != 0 {
		dst = t.reword(dst, start, word)
	}
	if item {
		return append(dst, mark[1]...)
	}
	if t.voice.chinese {
		return dst
	}
	return append(dst, ' ')
}

// reword changes one word of the sentence that starts at start: the second
// word of an English one is replaced, a Chinese one has two characters added
// before its full stop. Sentences of one word stay as they are.
func (t *text) reword(dst []byte, start int, h uint64) []byte {
	said := dst[start:]
	if t.voice.chinese {
		_, size := utf8.DecodeLastRune(said)
		return slices.Insert(dst, len(dst)-size, []byte(pick(t.voice.extra, h))...)
	}
	from := bytes.IndexByte(said, ' ') + 1
	to := from + bytes.IndexByte(said[from:], ' ')
	if from == 0 || to < from {
		return dst
	}
	return slices.Replace(dst, start+from, start+to, []byte(pick(t.voice.words, h))...)
}

// dateline appends where and when.
func (t *text) dateline(dst []byte, f *facts) []byte {
	dst = append(dst, f.l...)
	if t.voice.chinese {
		dst = appendDate(dst, t.voice, t.day)
		return append(dst, "电："...)
	}
	dst = append(dst, ", "...)
	dst = appendDate(dst, t.voice, t.day)
	return append(dst, " — "...)
}

func appendDate(dst []byte, v *voice, day int) []byte {
	y, m, d := time.Unix(int64(day)*86400, 0).UTC().Date()
	if v.chinese {
		dst = append(strconv.AppendInt(dst, int64(y), 10), "年"...)
		dst = append(append(dst, v.months[m-1]...), "月"...)
		return append(strconv.AppendInt(dst, int64(d), 10), "日"...)
	}
	dst = append(strconv.AppendInt(dst, int64(d), 10), ' ')
	dst = append(append(dst, v.months[m-1]...), ' ')
	return strconv.AppendInt(dst, int64(y), 10)
}

// abstract appends the first sentence as it was before any edit, which is what
// listings show.
func (t *text) abstract(dst []byte) []byte {
	f := t.voice.facts(t.seed)
	s := t.voice.sentences[t.topic]
	h := mix(t.seedAt(0), 0)
	return s[h%uint64(len(s))].tell(dst, &f, h^t.seed, nil)
}

// author returns the name in the byline.
func (t *text) author() string { return pick(t.voice.persons, mix(t.seed, 9)) }

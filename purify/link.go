package purify

import (
	"bytes"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/purify/markup"
)

const maxWords = 200 // bytes of a link's text and of its context

// address returns the raw URL that a tag names, and whether it is one for
// a crawler: http or https or relative, and more than a fragment.
func address(l *markup.Lexer) ([]byte, bool) {
	key := "href"
	if l.Tag == markup.TagFrame || l.Tag == markup.TagIframe {
		key = "src"
	}
	url, _ := l.Attr(key)
	url = bytes.Trim(url, " \t\r\n\f")
	if len(url) == 0 || len(url) > maxURL || url[0] == '#' {
		return nil, false
	}
	switch scheme(url) {
	case "", "http", "https":
		return url, true
	}
	return nil, false
}

// scheme returns the scheme of a URL in lower case, or nothing. Browsers
// skip tabs and newlines inside it, and so do people who hide javascript:.
func scheme(url []byte) string {
	var word [16]byte
	n := 0
	if bytes.IndexByte(url[:min(len(url), 32)], '&') >= 0 {
		url = unescape(nil, url[:min(len(url), 128)])
	}
	for i, c := range url {
		switch {
		case c == '\t' || c == '\n' || c == '\r' || c < ' ' && n == 0:
		case c == ':':
			if n == 0 {
				return ""
			}
			return string(word[:n])
		case markup.Letter(c) || i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
			if n == len(word) {
				return ""
			}
			word[n] = c | 0x20
			n++
		default:
			return ""
		}
	}
	return ""
}

func nofollow(l *markup.Lexer) bool {
	rel, ok := l.Attr("rel")
	if !ok {
		return false
	}
	for word := range bytes.FieldsSeq(rel) {
		if bytes.EqualFold(word, []byte("nofollow")) || bytes.EqualFold(word, []byte("ugc")) || bytes.EqualFold(word, []byte("sponsored")) {
			return true
		}
	}
	return false
}

// A linkSet turns anchors into Links, the first of each address. All strings
// of a page are cut from one, so that a page of 300 links costs no 900
// allocations.
type linkSet struct {
	limit int // of URLs
	buf   []byte
	cuts  []linkCut
	seen  map[uint64]int32
}

type linkCut struct {
	url, text, context span
	body, nofollow     bool
}

type span struct{ from, to int }

func (s *linkSet) reset() {
	s.buf, s.cuts, s.seen = s.buf[:0], s.cuts[:0], emptied(s.seen)
}

// add appends a URL unless it is known; it returns nil then.
func (s *linkSet) add(url []byte, nofollow bool) *linkCut {
	if len(s.cuts) >= s.limit {
		return nil
	}
	from := len(s.buf)
	s.buf = unescape(s.buf, url)
	out := s.buf[:from]
	for _, c := range s.buf[from:] { // as browsers do
		if c != '\t' && c != '\n' && c != '\r' && c != 0 {
			out = append(out, c)
		}
	}
	s.buf = out
	if len(out) == from || out[from] == '#' {
		s.buf = out[:from]
		return nil
	}
	sum := xxhash.Sum64(out[from:])
	if i, ok := s.seen[sum]; ok && bytes.Equal(s.buf[s.cuts[i].url.from:s.cuts[i].url.to], out[from:]) {
		s.buf = out[:from]
		return nil
	}
	s.seen[sum] = int32(len(s.cuts))
	s.cuts = append(s.cuts, linkCut{url: span{from, len(out)}, nofollow: nofollow})
	return &s.cuts[len(s.cuts)-1]
}

// keep stores words, cut to maxWords bytes at a rune, newlines as spaces.
func (s *linkSet) keep(words []byte) span {
	words = bytes.TrimSpace(words)
	if len(words) > maxWords {
		end := maxWords
		for end > 0 && !utf8.RuneStart(words[end]) {
			end--
		}
		words = bytes.TrimSpace(words[:end])
	}
	from := len(s.buf)
	s.buf = append(s.buf, words...)
	for i := from; i < len(s.buf); i++ {
		if s.buf[i] == '\n' {
			s.buf[i] = ' '
		}
	}
	return span{from, len(s.buf)}
}

// links returns the set in order.
func (s *linkSet) links() []Link {
	if len(s.cuts) == 0 {
		return nil
	}
	all := string(s.buf)
	links := make([]Link, len(s.cuts))
	for i, c := range s.cuts {
		links[i] = Link{
			URL:      all[c.url.from:c.url.to],
			Text:     all[c.text.from:c.text.to],
			Context:  all[c.context.from:c.context.to],
			Body:     c.body,
			NoFollow: c.nofollow,
		}
	}
	return links
}

// linkList returns the page's links; kept tells which blocks are body.
func (o *outline) linkList(kept []bool) []Link {
	set := &o.set
	set.reset()
	for i := range o.links {
		a := &o.links[i]
		cut := set.add(a.url, a.nofollow)
		if cut == nil {
			continue
		}
		words := o.text[a.from:max(a.from, a.to)]
		if len(bytes.TrimSpace(words)) == 0 {
			o.scratch = unescape(o.scratch[:0], a.alt)
			words = o.scratch
		}
		cut.text = set.keep(words)
		b := int(a.block)
		if b >= len(o.blocks) {
			continue
		}
		cut.body = kept[b]
		if o.blocks[b].size() > int(a.to-a.from) {
			cut.context = set.keep(o.window(&o.blocks[b], a))
		}
	}
	return set.links()
}

// window returns at most maxWords bytes of a block around a link, cut at runes.
func (o *outline) window(b *block, a *anchor) []byte {
	from, to := int(b.from), int(b.to)
	if to-from <= maxWords {
		return o.text[from:to]
	}
	middle := (int(a.from) + min(int(a.to), to)) / 2
	start := min(max(from, middle-maxWords/2), to-maxWords)
	end := start + maxWords
	for start < end && !utf8.RuneStart(o.text[start]) {
		start++
	}
	for end > start && end < to && !utf8.RuneStart(o.text[end]) {
		end--
	}
	return o.text[start:end]
}

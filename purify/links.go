package purify

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
)

const maxWords = 200 // bytes of a link's text and of its context

// A linkSet turns anchors into Links, the first one with each URL. All strings of a page are cut
// from one, to save some 900 allocations for a page of 300 links.
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

// reset empties the set and sets its limit.
func (s *linkSet) reset(limit int) {
	s.limit, s.buf, s.cuts, s.seen = limit, s.buf[:0], s.cuts[:0], reuse.Map(s.seen)
}

// add adds a URL; it returns nil if the URL is in the set already.
func (s *linkSet) add(url []byte, nofollow bool) *linkCut {
	if len(s.cuts) >= s.limit {
		return nil
	}
	from := len(s.buf)
	s.buf = markup.Unescape(s.buf, url)
	out := s.buf
	if slices.ContainsFunc(out[from:], ignored) {
		out = out[:from+len(slices.DeleteFunc(out[from:], ignored))]
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

// ignored reports whether browsers leave a byte out of a URL.
func ignored(c byte) bool { return c == '\t' || c == '\n' || c == '\r' || c == 0 }

// keep stores text, cut to maxWords bytes at a rune, with newlines as spaces.
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

// links returns the links in order.
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

// linkList returns the page's links; kept says which blocks are body.
func (w *workspace) linkList(kept []bool) []Link {
	set := &w.set
	set.reset(w.MaxLinks)
	for i := range w.Links {
		a := &w.Links[i]
		cut := set.add(a.URL, a.NoFollow)
		if cut == nil {
			continue
		}
		words := w.Text[a.From:max(a.From, a.To)]
		if len(bytes.TrimSpace(words)) == 0 {
			w.scratch = markup.Unescape(w.scratch[:0], a.Alt)
			words = w.scratch
		}
		cut.text = set.keep(words)
		b := int(a.Block)
		if b >= len(w.Blocks) {
			continue
		}
		cut.body = kept[b]
		if w.Blocks[b].Size() > int(a.To-a.From) {
			cut.context = set.keep(w.window(&w.Blocks[b], a))
		}
	}
	return set.links()
}

// leadTo reports whether there are links, and each has this URL.
func leadTo(links []Link, url string) bool {
	return len(links) > 0 && !slices.ContainsFunc(links, func(l Link) bool { return l.URL != url })
}

// window returns at most maxWords bytes of a block around a link, cut at runes.
func (w *workspace) window(b *blocks.Block, a *blocks.Anchor) []byte {
	from, to := int(b.From), int(b.To)
	if to-from <= maxWords {
		return w.Text[from:to]
	}
	middle := (int(a.From) + min(int(a.To), to)) / 2
	start := min(max(from, middle-maxWords/2), to-maxWords)
	end := start + maxWords
	for start < end && !utf8.RuneStart(w.Text[start]) {
		start++
	}
	for end > start && end < to && !utf8.RuneStart(w.Text[end]) {
		end--
	}
	return w.Text[start:end]
}

// allNoscript reports whether there is a body, and all of it is shown only without scripts.
func (w *workspace) allNoscript(kept []bool) bool {
	all := false
	for i, k := range kept {
		if k && !w.Blocks[i].NoScript() {
			return false
		}
		all = all || k
	}
	return all
}

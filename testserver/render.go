package testserver

import (
	"cmp"
	"strconv"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// listed is the number of entries of one section on a front page, which shows a
// third of it at most.
const listed = 4

// render appends the payload of a page in its site's charset.
func (w *Web) render(dst []byte, p *page) []byte {
	p = p.master()
	s := p.worn()
	if s.charset == utf8Charset {
		return w.compose(dst, p, s)
	}
	// Only Charsets sites pay for this. Their vocabularies lie within their
	// charsets, so nothing is replaced.
	out, err := encoderOf(s.charset).Bytes(w.compose(nil, p, s))
	if err != nil {
		panic("test web: the vocabulary has a character that is not in " + s.charset + ": " + err.Error())
	}
	return append(dst, out...)
}

func encoderOf(charset string) *encoding.Encoder {
	if charset == gbkCharset {
		return simplifiedchinese.GBK.NewEncoder()
	}
	return charmap.Windows1252.NewEncoder()
}

// compose appends the payload in UTF-8.
func (w *Web) compose(dst []byte, p *page, s *skin) []byte {
	dst = append(dst, s.open...)
	dst = append(dst, p.heading()...)
	dst = append(dst, s.described[0]...)
	if p.text != nil {
		dst = p.text.abstract(dst)
	} else {
		dst = append(dst, p.heading()...)
	}
	dst = append(dst, s.described[1]...)
	dst = append(dst, s.style...)
	dst = append(dst, s.top[p.depth]...)
	for _, part := range s.order {
		switch part {
		case partCrumbs:
			dst = appendCrumbs(dst, p, s)
		case partMain:
			dst = append(dst, s.main[0]...)
			dst = w.appendMain(dst, p, s)
			dst = append(dst, s.main[1]...)
		case partRelated:
			dst = w.appendLinks(dst, p, s, s.related, s.relate, w.o.Links-w.o.Links*2/3, 0x7e1a)
		case partSide:
			dst = w.appendLinks(dst, p, s, s.side, s.teaser, w.o.Links*2/3, 0x51de)
		case partComments:
			dst = appendComments(dst, p, s, w.o.PageBytes/5000)
		}
	}
	return append(dst, s.bottom[p.depth]...)
}

func appendCrumbs(dst []byte, p *page, s *skin) []byte {
	dst = append(dst, s.crumbs[0]...)
	dst = appendLink(dst, s.crumb, cmp.Or(s.up[p.depth], "./"), "", p.site.voice.labels.home)
	if p.section != nil {
		dst = appendLink(dst, s.crumb, s.up[p.depth], p.section.path, p.section.label)
	}
	return append(dst, s.crumbs[1]...)
}

func appendLink(dst []byte, around [3]string, up, href, label string) []byte {
	dst = append(dst, around[0]...)
	dst = append(dst, up...)
	dst = append(dst, href...)
	dst = append(dst, around[1]...)
	dst = append(dst, label...)
	return append(dst, around[2]...)
}

// appendMain appends the region that holds the main text, and of an article the
// byline, which is no part of it.
func (w *Web) appendMain(dst []byte, p *page, s *skin) []byte {
	if p.text == nil || p.kind == KindHub {
		return w.appendListing(dst, p, s, false)
	}
	if s.byline[0] != "" {
		dst = append(dst, s.byline[0]...)
		dst = append(dst, p.text.author()...)
		dst = append(dst, s.byline[1]...)
		dst = appendDate(dst, p.text.voice, p.text.day)
		dst = append(dst, s.byline[2]...)
	}
	dst = p.text.compose(dst, &s.marks, w.anchors(p, s))
	if p.kind == KindTrap {
		dst = appendTurns(dst, p, s)
	}
	return dst
}

// anchors opens two links to pages of the same section, for the running text.
func (w *Web) anchors(p *page, s *skin) []string {
	if p.section == nil || p.section.library || len(p.section.items) < 3 || w.o.Links == 0 {
		return nil
	}
	n := len(p.section.items)
	made := make([]string, 2)
	for i := range made {
		to := p.section.items[(p.place+1+int(mix(p.seed, uint64(i))%uint64(n-1)))%n]
		made[i] = `<a href="` + s.up[p.depth] + to.href + `">`
	}
	return made
}

// appendLinks appends n links to other pages of the section, which another seed
// or place rotates.
func (w *Web) appendLinks(dst []byte, p *page, s *skin, around [2]string, each [3]string, n int, salt uint64) []byte {
	dst = append(dst, around[0]...)
	if p.section != nil && !p.section.library {
		items := p.section.items
		n = min(n, len(items)-1)
		at := int(mix(p.seed, salt) % uint64(max(len(items), 1)))
		for range n {
			to := items[at]
			dst = appendLink(dst, each, s.up[p.depth], to.href, to.heading())
			if at++; at == len(items) {
				at = 0
			}
		}
	}
	return append(dst, around[1]...)
}

// appendComments appends what readers had to say.
func appendComments(dst []byte, p *page, s *skin, n int) []byte {
	dst = append(dst, s.comments[0]...)
	if p.text != nil {
		v := p.text.voice
		f := v.facts(p.seed)
		pool := v.sentences[p.text.topic]
		for i := range uint64(n) {
			h := mix(p.seed^0xc033, i)
			dst = append(dst, s.comment[0]...)
			dst = append(dst, pick(v.persons, h)...)
			dst = append(dst, s.comment[1]...)
			dst = appendDate(dst, v, p.text.day+1+int(h>>32%30))
			dst = append(dst, s.comment[2]...)
			for j := range 1 + h>>40%2 {
				if dst = pool[mix(h, j)%poolSentences].tell(dst, &f, mix(h, j), nil); !v.chinese {
					dst = append(dst, ' ')
				}
			}
			dst = append(dst, s.comment[3]...)
		}
	}
	return append(dst, s.comments[1]...)
}

// appendListing appends the main text of a front page, a section's listing or
// the page of old addresses; bare of marks and links when plain.
func (w *Web) appendListing(dst []byte, p *page, s *skin, plainText bool) []byte {
	m, entry, group := &s.marks, s.entry, s.group
	if plainText {
		m, entry, group = &plain, [4]string{"", "", "\n", "\n"}, [2]string{"", "\n"}
	}
	dst = append(dst, m.title[0]...)
	dst = append(dst, p.heading()...)
	dst = append(dst, m.title[1]...)
	item := func(to *page) {
		dst = append(dst, entry[0]...)
		if !plainText {
			dst = append(dst, s.up[p.depth]...)
			dst = append(dst, to.href...)
		}
		dst = append(dst, entry[1]...)
		dst = append(dst, to.heading()...)
		dst = append(dst, entry[2]...)
		if to.text != nil {
			dst = to.text.abstract(dst)
		}
		dst = append(dst, entry[3]...)
	}
	switch {
	case p.section != nil: // a listing
		dst = append(dst, m.para[0]...)
		dst = appendIntroduction(dst, p)
		dst = append(dst, m.para[1]...)
		for _, to := range p.section.page(p.place, w.perListing()) {
			item(to)
		}
		if !plainText {
			dst = appendPager(dst, p, s)
		}
	case p.path == "/":
		for _, sec := range p.site.sections {
			dst = append(dst, group[0]...)
			dst = append(dst, sec.label...)
			dst = append(dst, group[1]...)
			for i := range min(listed, (len(sec.items)+2)/3) {
				item(sec.items[i])
			}
		}
	default: // elsewhere
		dst = append(dst, m.para[0]...)
		dst = p.text.abstract(dst)
		dst = append(dst, m.para[1]...)
		for _, to := range p.site.elsewhere() {
			item(to)
		}
	}
	return dst
}

// appendIntroduction appends what a listing says of itself. It keeps listings
// apart that have entries in common, as those of libraries do.
func appendIntroduction(dst []byte, p *page) []byte {
	v := p.site.voice
	f := v.facts(p.seed)
	pool := v.sentences[p.seed%uint64(len(v.sentences))]
	for i := range uint64(3) {
		h := mix(p.seed, i)
		if dst = pool[h%poolSentences].tell(dst, &f, h, nil); !v.chinese {
			dst = append(dst, ' ')
		}
	}
	return dst
}

func (c *section) page(n, size int) []*page {
	from := min(n*size, len(c.items))
	return c.items[from:min(from+size, len(c.items))]
}

func appendPager(dst []byte, p *page, s *skin) []byte {
	dst = append(dst, s.pager[0]...)
	turn := func(to int, label string) {
		if to >= 0 && to < len(p.section.listings) {
			dst = appendLink(dst, s.turn, s.up[p.depth], p.section.listings[to].href, label)
		}
	}
	l := p.site.voice.labels
	turn(p.place-1, l.newer)
	for i := max(0, p.place-3); i <= p.place+3; i++ {
		turn(i, l.page+strconv.Itoa(i+1))
	}
	turn(p.place+1, l.older)
	return append(dst, s.pager[1]...)
}

// mainText returns the main text of a document without layout.
func (w *Web) mainText(p *page) []byte {
	p = p.master()
	if p.text == nil || p.kind == KindHub {
		return w.appendListing(nil, p, p.worn(), true)
	}
	return p.text.compose(nil, &plain, nil)
}

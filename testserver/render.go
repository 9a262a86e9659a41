package testserver

import (
	"cmp"
	"strconv"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"

	"gatecrawl.example/gatecrawl/testserver/corpus"
	"gatecrawl.example/gatecrawl/testserver/score"
	"gatecrawl.example/gatecrawl/testserver/skin"
)

// listed is the number of entries of one section on a front page, which shows at most a
// third of the section.
const listed = 4

// render appends the payload of a page in its site's charset.
func (w *Web) render(dst []byte, p *page) []byte {
	p = p.original()
	s := p.skin()
	if s.Charset == skin.UTF8 {
		return w.compose(dst, p, s)
	}
	// Only sites with another charset need this. It has all characters of their
	// vocabularies, so nothing is replaced.
	out, err := encoderOf(s.Charset).Bytes(w.compose(nil, p, s))
	if err != nil {
		panic("test web: the vocabulary has a character that is not in " + s.Charset + ": " + err.Error())
	}
	return append(dst, out...)
}

func encoderOf(charset string) *encoding.Encoder {
	if charset == skin.GBK {
		return simplifiedchinese.GBK.NewEncoder()
	}
	return charmap.Windows1252.NewEncoder()
}

// compose appends the payload in UTF-8.
func (w *Web) compose(dst []byte, p *page, s *skin.Skin) []byte {
	dst = append(dst, s.Open...)
	dst = append(dst, p.heading()...)
	dst = append(dst, s.Described[0]...)
	if p.text != nil {
		dst = p.text.AppendAbstract(dst)
	} else {
		dst = append(dst, p.heading()...)
	}
	dst = append(dst, s.Described[1]...)
	dst = append(dst, s.Style...)
	dst = append(dst, s.Top[p.depth]...)
	for _, part := range s.Order {
		switch part {
		case skin.Crumbs:
			dst = appendCrumbs(dst, p, s)
		case skin.Main:
			dst = append(dst, s.Main[0]...)
			dst = w.appendMain(dst, p, s)
			dst = append(dst, s.Main[1]...)
		case skin.Related:
			dst = w.appendLinks(dst, p, s, s.Related, s.Relate, w.o.Links-w.o.Links*2/3, 0x7e1a)
		case skin.Side:
			dst = w.appendLinks(dst, p, s, s.Side, s.Teaser, w.o.Links*2/3, 0x51de)
		case skin.Comments:
			dst = appendComments(dst, p, s, w.o.PageBytes/5000)
		}
	}
	return append(dst, s.Bottom[p.depth]...)
}

func appendCrumbs(dst []byte, p *page, s *skin.Skin) []byte {
	dst = append(dst, s.Crumbs[0]...)
	dst = appendLink(dst, s.Crumb, cmp.Or(s.Up[p.depth], "./"), "", p.site.corpus.Labels.Home)
	if p.section != nil {
		dst = appendLink(dst, s.Crumb, s.Up[p.depth], p.section.path, p.section.label)
	}
	return append(dst, s.Crumbs[1]...)
}

func appendLink(dst []byte, around [3]string, up, href, label string) []byte {
	dst = append(dst, around[0]...)
	dst = append(dst, up...)
	dst = append(dst, href...)
	dst = append(dst, around[1]...)
	dst = append(dst, label...)
	return append(dst, around[2]...)
}

// appendMain appends the region with the main text, and for an article the byline, which is
// not part of it.
func (w *Web) appendMain(dst []byte, p *page, s *skin.Skin) []byte {
	if p.text == nil || p.kind == score.KindHub {
		return w.appendListing(dst, p, s, false)
	}
	if s.Byline[0] != "" {
		dst = append(dst, s.Byline[0]...)
		dst = append(dst, p.text.Author()...)
		dst = append(dst, s.Byline[1]...)
		dst = corpus.AppendDate(dst, p.text.Corpus, p.text.Day)
		dst = append(dst, s.Byline[2]...)
	}
	dst = p.text.Append(dst, &s.Marks, w.anchors(p, s))
	if p.kind == score.KindTrap {
		dst = appendTurns(dst, p, s)
	}
	return dst
}

// anchors returns the start tags of two links to pages of the same section, for the text.
func (w *Web) anchors(p *page, s *skin.Skin) []string {
	if p.section == nil || p.section.library || len(p.section.items) < 3 || w.o.Links == 0 {
		return nil
	}
	n := len(p.section.items)
	made := make([]string, 2)
	for i := range made {
		to := p.section.items[(p.place+1+int(corpus.Mix(p.seed, uint64(i))%uint64(n-1)))%n]
		made[i] = `<a href="` + s.Up[p.depth] + to.href + `">`
	}
	return made
}

// appendLinks appends n links to other pages of the section, starting at a position that
// depends on the page.
func (w *Web) appendLinks(dst []byte, p *page, s *skin.Skin, around [2]string, each [3]string, n int, salt uint64) []byte {
	dst = append(dst, around[0]...)
	if p.section != nil && !p.section.library {
		items := p.section.items
		n = min(n, len(items)-1)
		at := int(corpus.Mix(p.seed, salt) % uint64(max(len(items), 1)))
		for range n {
			to := items[at]
			dst = appendLink(dst, each, s.Up[p.depth], to.href, to.heading())
			if at++; at == len(items) {
				at = 0
			}
		}
	}
	return append(dst, around[1]...)
}

// appendComments appends readers' comments.
func appendComments(dst []byte, p *page, s *skin.Skin, n int) []byte {
	dst = append(dst, s.Comments[0]...)
	if p.text != nil {
		v := p.text.Corpus
		f := v.Facts(p.seed)
		pool := v.Sentences[p.text.Topic]
		for i := range uint64(n) {
			h := corpus.Mix(p.seed^0xc033, i)
			dst = append(dst, s.Comment[0]...)
			dst = append(dst, corpus.Pick(v.Persons, h)...)
			dst = append(dst, s.Comment[1]...)
			dst = corpus.AppendDate(dst, v, p.text.Day+1+int(h>>32%30))
			dst = append(dst, s.Comment[2]...)
			for j := range 1 + h>>40%2 {
				if dst = pool[corpus.Mix(h, j)%corpus.PoolSize].Append(dst, &f, corpus.Mix(h, j), nil); !v.Chinese {
					dst = append(dst, ' ')
				}
			}
			dst = append(dst, s.Comment[3]...)
		}
	}
	return append(dst, s.Comments[1]...)
}

// appendListing appends the main text of a front page, a section's listing or the page of
// old URLs; without markup and links if plainText is set.
func (w *Web) appendListing(dst []byte, p *page, s *skin.Skin, plainText bool) []byte {
	m, entry, group := &s.Marks, s.Entry, s.Group
	if plainText {
		m, entry, group = &corpus.PlainMarkup, [4]string{"", "", "\n", "\n"}, [2]string{"", "\n"}
	}
	dst = append(dst, m.Title[0]...)
	dst = append(dst, p.heading()...)
	dst = append(dst, m.Title[1]...)
	item := func(to *page) {
		dst = append(dst, entry[0]...)
		if !plainText {
			dst = append(dst, s.Up[p.depth]...)
			dst = append(dst, to.href...)
		}
		dst = append(dst, entry[1]...)
		dst = append(dst, to.heading()...)
		dst = append(dst, entry[2]...)
		if to.text != nil {
			dst = to.text.AppendAbstract(dst)
		}
		dst = append(dst, entry[3]...)
	}
	switch {
	case p.section != nil: // a listing
		dst = append(dst, m.Para[0]...)
		dst = appendIntroduction(dst, p)
		dst = append(dst, m.Para[1]...)
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
		dst = append(dst, m.Para[0]...)
		dst = p.text.AppendAbstract(dst)
		dst = append(dst, m.Para[1]...)
		for _, to := range p.site.elsewhere() {
			item(to)
		}
	}
	return dst
}

// appendIntroduction appends the introduction of a listing. It makes listings differ that
// have entries in common, as those of libraries do.
func appendIntroduction(dst []byte, p *page) []byte {
	v := p.site.corpus
	f := v.Facts(p.seed)
	pool := v.Sentences[p.seed%uint64(len(v.Sentences))]
	for i := range uint64(3) {
		h := corpus.Mix(p.seed, i)
		if dst = pool[h%corpus.PoolSize].Append(dst, &f, h, nil); !v.Chinese {
			dst = append(dst, ' ')
		}
	}
	return dst
}

func (c *section) page(n, size int) []*page {
	from := min(n*size, len(c.items))
	return c.items[from:min(from+size, len(c.items))]
}

func appendPager(dst []byte, p *page, s *skin.Skin) []byte {
	dst = append(dst, s.Pager[0]...)
	turn := func(to int, label string) {
		if to >= 0 && to < len(p.section.listings) {
			dst = appendLink(dst, s.Turn, s.Up[p.depth], p.section.listings[to].href, label)
		}
	}
	l := p.site.corpus.Labels
	turn(p.place-1, l.Newer)
	for i := max(0, p.place-3); i <= p.place+3; i++ {
		turn(i, l.Page+strconv.Itoa(i+1))
	}
	turn(p.place+1, l.Older)
	return append(dst, s.Pager[1]...)
}

// mainText returns the main text of a document without layout.
func (w *Web) mainText(p *page) []byte {
	p = p.original()
	if p.text == nil || p.kind == score.KindHub {
		return w.appendListing(nil, p, p.skin(), true)
	}
	return p.text.Append(nil, &corpus.PlainMarkup, nil)
}

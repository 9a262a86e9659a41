package purify

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

// PaintOptions are the settings of Paint.
type PaintOptions struct {
	// URL is the page's URL, if it is known; see PurifyAt.
	URL string

	// Base is the absolute http or https URL that the page's links are
	// relative to. Without one, relative links are shown as text.
	Base string

	// Load keeps the page's pictures and style sheets, so that a browser fetches them from wherever
	// the page says. Without it the result fetches nothing.
	Load bool

	// Selectors name body text; see Reader.
	Selectors *Selectors
}

// Validate reports what is wrong with the options.
func (p PaintOptions) Validate() error {
	if kind := blocks.Scheme([]byte(p.Base)); p.Base != "" && kind != "http" && kind != "https" {
		return fmt.Errorf("base %q: want an http or https URL", p.Base)
	}
	return nil
}

// Paint writes a page as HTML for a person to look at: the text of kept blocks on green, that of
// dropped ones on grey, each with its score before it and, under the pointer, its element and share
// of links. Hidden text is left out, since it is in no block.
//
// The result consists of known elements and escaped text. Scripts, forms, frames, event handlers
// and unknown attributes are left out, and a content security policy forbids them as well, so a
// hostile page runs nothing and, without Load, fetches nothing. Errors are those of w and of
// PaintOptions.Validate.
func Paint(w io.Writer, page []byte, contentType string, options PaintOptions) error {
	if err := options.Validate(); err != nil {
		return err
	}
	view, _ := Reader{Selectors: options.Selectors}.PurifyOn(nil, options.URL, page, contentType)
	text, _ := charset.Decode(page, contentType)
	p := painter{out: bufio.NewWriter(w), options: options}
	if markup.IsPlainText(contentType) {
		p.head(view, 1, 1)
		p.print(`<pre class="crawl-kept">`, html.EscapeString(string(text)), "</pre>\n")
		return p.finish()
	}
	work := newWorkspace()
	defer work.done()
	work.KeepRuns = true
	xml := markup.IsXML(contentType, text)
	work.readWith(options.Selectors, options.URL, text, xml)
	m := metadata.Read(work.Head.Markup)
	p.work, p.kept, p.runs, p.last = work, work.body.Choose(&m), work.Runs, -1
	work.choosePinned(p.kept)
	work.keepSections(p.kept, &m, view.Type)
	work.leaveFollowing(p.kept, &m, view.Type)
	work.trim(p.kept)
	kept := 0
	for _, k := range p.kept {
		if k {
			kept++
		}
	}
	p.head(view, kept, len(p.kept))
	// The outline's own lexer has finished: its copy of the page can be used again.
	p.page(markup.NewLexer(work.Copy(text), xml))
	return p.finish()
}

// A painter writes a page whose blocks are known.
type painter struct {
	out     *bufio.Writer
	options PaintOptions
	work    *workspace
	kept    []bool
	runs    []blocks.Run // the remaining ones
	last    int32        // the block of the previous run, or -1
	linked  bool         // an a is open
	styling bool         // inside a style element that is kept
}

// print writes text that is HTML already. A bufio.Writer holds its first error
// until Flush.
func (p *painter) print(parts ...string) {
	for _, s := range parts {
		p.out.WriteString(s)
	}
}

func (p *painter) finish() error {
	p.print("</body></html>\n")
	return p.out.Flush()
}

const paintStyle = `
body { margin: 1em; font-family: sans-serif; line-height: 1.5 }
a { color: inherit }
.crawl-kept { background: #c4efc4 !important; color: #000 !important }
.crawl-dropped { background: #e4e4e4 !important; color: #767676 !important }
.crawl-score { font: bold 10px/1 monospace !important; color: #fff !important; padding: 1px 3px !important; margin-right: 3px !important; border-radius: 2px; display: inline-block }
.crawl-score.crawl-in { background: #1a7f37 !important }
.crawl-score.crawl-out { background: #8c8c8c !important }
.crawl-head { background: #fff; color: #000; border-bottom: 2px solid #000; padding-bottom: .5em; margin-bottom: 1em; font: 14px/1.5 sans-serif; text-align: left }
.crawl-head dt { float: left; clear: left; width: 7em; color: #555 }
.crawl-head dd { margin: 0 0 0 7em }
pre { white-space: pre-wrap }
`

// head writes everything that precedes the page.
func (p *painter) head(v *DocView, kept, blocks int) {
	policy := "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'"
	if p.options.Load {
		policy = "default-src 'none'; style-src 'unsafe-inline' http: https:; img-src http: https: data:; font-src http: https: data:; form-action 'none'"
	}
	p.print(`<!DOCTYPE html><html><head><meta charset="utf-8">`,
		`<meta http-equiv="Content-Security-Policy" content="`, policy, `">`,
		`<meta http-equiv="x-dns-prefetch-control" content="off"><meta name="referrer" content="no-referrer">`,
		`<meta name="viewport" content="width=device-width">`)
	if p.options.Base != "" {
		p.print(`<base href="`, html.EscapeString(p.options.Base), `">`)
	}
	p.print("<title>", html.EscapeString(v.Title), "</title><style>", paintStyle, "</style></head>\n<body><div class=\"crawl-head\"><dl>\n")
	words := make([]string, len(v.Keywords))
	for i, k := range v.Keywords {
		words[i] = fmt.Sprintf("%s %.4g", k.Word, k.Weight)
	}
	for _, line := range [...][2]string{
		{"URL", p.options.URL}, {"title", v.Title}, {"type", v.Type + ", " + v.Role},
		{"category", strings.Join(v.Category, " / ")}, {"date", v.Date}, {"author", v.Author}, {"language", v.Lang},
		{"charset", v.Charset}, {"keywords", strings.Join(words, ", ")}, {"abstract", v.Abstract},
	} {
		if line[1] != "" {
			p.print("<dt>", line[0], "</dt><dd>", html.EscapeString(line[1]), "</dd>\n")
		}
	}
	p.print("</dl>", strconv.Itoa(kept), " of ", strconv.Itoa(blocks), ` blocks kept: <span class="crawl-kept">kept</span> <span class="crawl-dropped">dropped</span>, each behind the probability that it is of the body. Point at a block for more.</div>`, "\n")
}

// page writes the page's own elements and text.
func (p *painter) page(l *markup.Lexer) {
	for {
		switch l.Next() {
		case markup.TokenEnd:
			return
		case markup.TokenText:
			p.text(l)
		case markup.TokenStart:
			p.start(l)
		case markup.TokenClose:
			p.end(l)
		}
	}
}

// text writes a run of a block, and white space of text that no block has.
func (p *painter) text(l *markup.Lexer) {
	if p.styling {
		if css := string(l.Text); !strings.Contains(css, "</") {
			p.print(css)
		}
		return
	}
	if len(p.runs) == 0 || int(p.runs[0].From) != l.From {
		if len(bytes.TrimSpace(l.Text)) == 0 {
			p.print(" ") // perhaps between two words
		}
		return
	}
	i := p.runs[0].Block
	p.runs = p.runs[1:]
	if i < 0 || int(i) >= len(p.kept) {
		return
	}
	b := &p.work.Blocks[i]
	class, mark := "crawl-dropped", "crawl-out"
	if p.kept[i] {
		class, mark = "crawl-kept", "crawl-in"
	}
	score := strconv.FormatFloat(float64(p.work.body.Probability(int(i))), 'f', 2, 64)
	about := fmt.Sprintf(`" title="%s, %d%% links, %s">`, score, 100*int(b.Linked)/b.Size(), cmp.Or(b.Tag.String(), "text"))
	if i != p.last {
		p.print(`<span class="crawl-score `, mark, about, score, "</span>")
		p.last = i
	}
	words := strings.ReplaceAll(string(markup.Unescape(nil, l.Text)), "\x00", "")
	p.print(`<span class="`, class, about, html.EscapeString(words), "</span>")
}

// shown returns the element to write for a tag, "" for none. Elements that a browser would show
// closed, or that could be active, become a div.
func shown(t markup.Tag) string {
	switch t {
	case markup.TagHtml, markup.TagBody, markup.TagHead, markup.TagNoscript, markup.TagOption, markup.TagSelect, markup.TagTextarea:
		return ""
	case markup.TagButton, markup.TagDetails, markup.TagDialog, markup.TagFieldset, markup.TagForm, markup.TagLegend, markup.TagSummary:
		return "div"
	}
	return t.String()
}

func (p *painter) start(l *markup.Lexer) {
	switch l.Tag {
	case markup.TagBr:
		p.print("<br>")
	case markup.TagHr:
		p.print("<hr>")
	case markup.TagA:
		p.openLink(l)
	case markup.TagImg:
		p.picture(l)
	case markup.TagStyle:
		if p.styling = p.options.Load; p.styling {
			p.print("<style>")
		}
	case markup.TagLink:
		p.styleSheet(l)
	default:
		if name := shown(l.Tag); name != "" {
			p.print("<", name)
			p.keepAttrs(l)
			p.print(">")
		}
	}
}

func (p *painter) end(l *markup.Lexer) {
	switch l.Tag {
	case markup.TagA:
		p.closeLink()
	case markup.TagStyle:
		if p.styling {
			p.print("</style>")
			p.styling = false
		}
	default:
		if name := shown(l.Tag); name != "" {
			p.print("</", name, ">")
		}
	}
}

func (p *painter) openLink(l *markup.Lexer) {
	p.closeLink()
	url, ok := l.Attr("href")
	if !ok || !p.reachable(url) {
		return
	}
	p.print(`<a target="_blank" rel="noopener noreferrer"`)
	p.attr("href", url)
	p.print(">")
	p.linked = true
}

func (p *painter) closeLink() {
	if p.linked {
		p.print("</a>")
		p.linked = false
	}
}

// picture writes an image, or its alternative text if pictures are not loaded.
func (p *painter) picture(l *markup.Lexer) {
	alt, _ := l.Attr("alt")
	if src, ok := l.Attr("src"); ok && p.options.Load && p.reachable(src) {
		p.print("<img")
		p.attr("src", src)
		p.attr("alt", alt)
		for _, key := range [...]string{"width", "height"} {
			if size, ok := l.Attr(key); ok && number4(size) {
				p.attr(key, size)
			}
		}
		p.keepAttrs(l)
		p.print(">")
		return
	}
	if len(alt) > 0 {
		p.print("[", html.EscapeString(string(markup.Unescape(nil, alt))), "]")
	}
}

func (p *painter) styleSheet(l *markup.Lexer) {
	rel, _ := l.Attr("rel")
	href, _ := l.Attr("href")
	if !p.options.Load || !strings.EqualFold(strings.TrimSpace(string(rel)), "stylesheet") || !p.reachable(href) {
		return
	}
	p.print(`<link rel="stylesheet"`)
	p.attr("href", href)
	p.print(">")
}

// reachable reports whether a raw URL is http or https once it is resolved. It reads the URL as a
// browser does, without character references and line breaks.
func (p *painter) reachable(raw []byte) bool {
	if len(raw) == 0 || len(raw) > blocks.MaxURL {
		return false
	}
	url := strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(string(markup.Unescape(nil, raw)))
	switch blocks.Scheme([]byte(strings.TrimSpace(url))) {
	case "http", "https":
		return true
	case "":
		return p.options.Base != "" && !strings.ContainsRune(url[:min(len(url), maxScheme)], ':')
	}
	return false
}

// maxScheme is the length of the start of a relative URL in which a colon
// makes it suspect.
const maxScheme = 64

// keepAttrs writes the attributes that a layout needs and that can't be active.
func (p *painter) keepAttrs(l *markup.Lexer) {
	if l.Tag == markup.TagTd || l.Tag == markup.TagTh {
		for _, key := range [...]string{"colspan", "rowspan"} {
			if n, ok := l.Attr(key); ok && number4(n) {
				p.attr(key, n)
			}
		}
	}
	if !p.options.Load {
		return
	}
	for _, key := range [...]string{"class", "id"} {
		if val, ok := l.Attr(key); ok {
			p.attr(key, val)
		}
	}
}

// attr writes an attribute from its raw value.
func (p *painter) attr(key string, raw []byte) {
	p.print(" ", key, `="`, html.EscapeString(string(markup.Unescape(nil, raw))), `"`)
}

// number4 reports whether a value is a number of at most four digits.
func number4(val []byte) bool {
	for _, c := range val {
		if !markup.Digit(c) {
			return false
		}
	}
	return len(val) > 0 && len(val) <= 4
}

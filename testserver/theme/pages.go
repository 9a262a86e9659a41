package theme

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// A theme is the markup of a well-known generator of blogs or manuals.
type theme struct {
	name         string
	langs        []string
	headings     bool // lists show their heading
	sameHeadings bool // a category has the heading of a tag
	plan         func(*builder)
	page         func(b *strings.Builder, s *Site, p *Page, banner string)
}

var themes = []theme{
	{name: "column", langs: []string{"en", "zh"}, page: columnPage},
	{name: "collapse", langs: []string{"en", "zh"}, headings: true, page: collapsePage},
	{name: "cards", langs: []string{"en", "zh"}, page: cardsPage},
	{name: "classic", langs: []string{"en", "zh"}, headings: true, sameHeadings: true, page: classicPage},
	{name: "outer", langs: []string{"en", "zh"}, headings: true, page: outerPage},
	{name: "handbook", langs: []string{"en", "zh"}, plan: (*builder).handbook, page: handbookPage},
	{name: "api", langs: []string{"en"}, plan: (*builder).apiManual, page: apiPage},
}

func esc(s string) string { return html.EscapeString(s) }

// writeOwn writes a page's own blocks. entry is the format of an entry of a list, with
// its URL, title, date and excerpt.
func writeOwn(b *strings.Builder, blocks []block, h1, h2, entry string) {
	open := false
	list := func(on bool) {
		if on != open {
			b.WriteString(map[bool]string{true: "<ul>\n", false: "</ul>\n"}[on])
		}
		open = on
	}
	for _, o := range blocks {
		list(o.kind == "li")
		switch o.kind {
		case "1":
			fmt.Fprintf(b, h1, esc(o.text))
		case "2":
			fmt.Fprintf(b, h2, esc(o.text))
		case "li":
			if o.href != "" {
				fmt.Fprintf(b, "<li><a href=\"%s\">%s</a></li>\n", o.href, esc(o.text))
			} else {
				fmt.Fprintf(b, "<li>%s</li>\n", esc(o.text))
			}
		case "e":
			rest := o.rest
			if rest != "" {
				rest = "<p>" + esc(rest) + "</p>"
			}
			fmt.Fprintf(b, entry, o.href, esc(o.text), o.date, rest)
		default:
			fmt.Fprintf(b, "<p>%s</p>\n", esc(o.text))
		}
	}
	list(false)
}

// termLinks writes a link to each term that has posts: its path, name and number.
func termLinks(b *strings.Builder, terms []*term, each string) {
	for _, t := range terms {
		if len(t.posts) > 0 {
			args := []any{t.path, esc(t.name), len(t.posts)}
			fmt.Fprintf(b, each, args[:strings.Count(each, "%")]...)
		}
	}
}

func (s *Site) recent(b *strings.Builder, each string) {
	for _, q := range s.latest {
		fmt.Fprintf(b, each, q.path, esc(q.title))
	}
}

// comments writes readers' comments on a post, which are not part of its text.
func (s *Site) comments(b *strings.Builder, p *Page, around, each string) {
	var said strings.Builder
	v := s.corpus
	seed := p.post.text.Seed
	if p.Class == "note" && p.post.comments%2 == 1 {
		seed += uint64(p.place) // the second URL of a post has its own readers
	}
	for i := range p.post.comments {
		h := corpus.Mix(seed, uint64(i))
		f := v.Facts(h)
		line := corpus.Pick(v.Sentences, h)[h%corpus.PoolSize].Append(nil, &f, h, nil)
		fmt.Fprintf(&said, each, esc(corpus.Pick(v.Persons, h)), dateOf(p.post.day+1+i), esc(string(line)))
	}
	if p.post.comments == 0 {
		said.WriteString("<p>" + s.words.noComments + "</p>")
	}
	fmt.Fprintf(b, around, s.words.comments, said.String())
}

// pager returns links to the neighbours of a page, as all themes have them.
func (s *Site) pager(p *Page, each string) string {
	var b strings.Builder
	for i, label := range []string{s.words.next, s.words.prev} {
		at := p.place + 2*i - 1
		if at >= 0 && at < len(s.Pages) && s.Pages[at].Class == p.Class {
			title := label
			if p.post != nil {
				title = s.Pages[at].Title
			}
			fmt.Fprintf(&b, each, s.Pages[at].Path, esc(title))
		}
	}
	return b.String()
}

// columnPage has a column with the site's description, tags and all months next to the posts, and
// lists without a heading.
func columnPage(b *strings.Builder, s *Site, p *Page, banner string) {
	w := s.words
	b.WriteString("<body>\n<div class=\"blog-masthead\"><div class=\"container\"><nav class=\"blog-nav\">")
	for _, l := range [][2]string{{"/", w.home}, {"/archives/", w.archives}, {"/tags/", w.tags}, {"/about/", w.about}} {
		fmt.Fprintf(b, "<a class=\"blog-nav-item\" href=\"%s\">%s</a>", l[0], l[1])
	}
	fmt.Fprintf(b, "</nav></div></div>\n%s<div class=\"container\">\n<div class=\"blog-header\"><h1 class=\"blog-title\"><a href=\"/\">%s</a></h1><p class=\"lead blog-description\">%s</p></div>\n<div class=\"row\"><div class=\"col-sm-8 blog-main\">\n",
		notice(banner), esc(s.title), esc(s.about))
	if p.post != nil {
		b.WriteString("<article class=\"article\"><div class=\"article-inner\"><header class=\"article-header\">")
		writeOwn(b, p.own[:1], "<h1 class=\"article-title\">%s</h1>\n", "", "")
		fmt.Fprintf(b, "</header><div class=\"article-meta\"><a href=\"%s\"><time datetime=\"%s\">%[2]s</time></a> <a href=\"%s\">%s</a></div><div class=\"article-entry\">\n", p.Path, dateOf(p.post.day), p.post.cat.path, esc(p.post.cat.name))
		writeOwn(b, p.own[1:], "", "<h2>%s</h2>\n", "")
		b.WriteString("</div><footer class=\"article-footer\"><ul class=\"article-tag-list\">")
		termLinks(b, p.post.tags, "<li><a href=\"%s\">%s</a></li>")
		fmt.Fprintf(b, "</ul></footer></div><ul class=\"pager\">%s</ul></article>\n<section id=\"comments\"><p>%s</p>", s.pager(p, "<li><a href=\"%s\">%s</a></li>"), esc(s.notice))
		s.comments(b, p, "<h3>%s</h3>%s", "<div><b>%s</b> %s<p>%s</p></div>")
		b.WriteString("</section>\n")
	} else {
		writeOwn(b, p.own, "<h1 class=\"page-title\">%s</h1>\n", "<h2>%s</h2>\n", "<article class=\"archive-article\"><header><h1><a class=\"article-title\" href=\"%s\">%s</a></h1><time>%s</time></header>%s</article>\n")
		fmt.Fprintf(b, "<nav id=\"page-nav\">%s</nav>\n", s.pager(p, "<a href=\"%s\">%s</a>"))
	}
	fmt.Fprintf(b, "</div>\n<div class=\"col-sm-3 col-sm-offset-1 blog-sidebar\"><div class=\"sidebar-module sidebar-module-inset\"><h4>%s</h4><p>%s</p></div>\n", w.about, esc(s.about))
	for _, m := range []struct {
		head string
		of   []*term
	}{{w.categories, s.cats}, {w.tags, s.tags}, {w.archives, s.months}} {
		fmt.Fprintf(b, "<div class=\"sidebar-module\"><h4>%s</h4><ul class=\"sidebar-module-list\">", m.head)
		termLinks(b, m.of, "<li><a href=\"%s\">%s</a><span class=\"sidebar-module-list-count\">%d</span></li>\n")
		b.WriteString("</ul></div>\n")
	}
	fmt.Fprintf(b, "<div class=\"sidebar-module\"><h4>%s</h4><ul>", w.recent)
	s.recent(b, "<li><a href=\"%s\">%s</a></li>\n")
	fmt.Fprintf(b, "</ul></div></div></div></div>\n<footer class=\"blog-footer\"><p>%s</p><p>%s</p></footer>\n</body>\n", esc(s.legal), w.powered)
}

func notice(banner string) string {
	if banner == "" {
		return ""
	}
	return "<div class=\"alert alert-info\"><p>" + esc(banner) + "</p></div>\n"
}

// collapsePage has the column of a narrow site in its header, lists of dates and titles, and a
// licence box and a notice below each post.
func collapsePage(b *strings.Builder, s *Site, p *Page, banner string) {
	w := s.words
	fmt.Fprintf(b, "<body itemscope itemtype=\"http://schema.org/WebPage\">\n<div class=\"container\"><header class=\"header\" id=\"header\"><div class=\"site-brand-container\"><a href=\"/\" class=\"brand\"><span class=\"site-title\">%s</span></a><p class=\"site-subtitle\">%s</p></div>\n<nav class=\"site-nav\"><ul id=\"menu\" class=\"menu\">", esc(s.title), esc(s.about))
	for _, l := range [][2]string{{"/", w.home}, {"/tags/", w.tags}, {"/categories/", w.categories}, {"/archives/", w.archives}, {"/search/", w.search}} {
		fmt.Fprintf(b, "<li class=\"menu-item\"><a href=\"%s\">%s</a></li>", l[0], l[1])
	}
	fmt.Fprintf(b, "</ul></nav></header>\n%s<main id=\"main\" class=\"main\"><div class=\"main-inner\"><div class=\"content-wrap\"><div id=\"content\" class=\"content\">\n", notice(banner))
	if p.post != nil {
		b.WriteString("<div class=\"posts-expand\"><article class=\"post-block\"><header class=\"post-header\">")
		writeOwn(b, p.own[:1], "<h1 class=\"post-title\" itemprop=\"name headline\">%s</h1>", "", "")
		fmt.Fprintf(b, "<div class=\"post-meta\"><span>%s</span> <time>%s</time> <span>%s</span> <a href=\"%s\">%s</a> <span>%d %s</span></div></header>\n<div class=\"post-body\">", w.posted, dateOf(p.post.day), w.in, p.post.cat.path, esc(p.post.cat.name), 10+p.place*7, w.views)
		writeOwn(b, p.own[1:], "", "<h2>%s</h2>\n", "")
		fmt.Fprintf(b, "</div>\n<div><ul class=\"post-copyright\"><li><strong>%s: </strong>%s</li><li>%s</li></ul></div>\n<footer class=\"post-footer\"><div class=\"post-tags\">", w.by, esc(p.post.author), esc(s.legal))
		termLinks(b, p.post.tags, "<a href=\"%s\" rel=\"tag\"># %s</a>")
		fmt.Fprintf(b, "</div><div class=\"post-nav\">%s</div></footer></article></div>\n<div class=\"comments\"><p>%s</p>", s.pager(p, "<div><a href=\"%s\">%s</a></div>"), esc(s.notice))
		s.comments(b, p, "<h3>%s</h3>%s", "<div class=\"vcard\"><span>%s</span><span>%s</span><div><p>%s</p></div></div>")
		b.WriteString("</div>")
	} else {
		b.WriteString("<div class=\"posts-collapse\">")
		writeOwn(b, p.own, "<div class=\"collection-title\"><h2 class=\"collection-header\">%s</h2></div>\n", "<h3>%s</h3>\n",
			"<article class=\"post\"><header class=\"post-header\"><h3 class=\"post-title\"><a class=\"post-title-link\" href=\"%s\"><span>%s</span></a></h3><div class=\"post-meta\"><time>%s</time></div></header>%s</article>\n")
		fmt.Fprintf(b, "</div><nav class=\"pagination\">%s</nav>", s.pager(p, "<a class=\"page-number\" href=\"%s\">%s</a>"))
	}
	fmt.Fprintf(b, "</div></div>\n<aside class=\"sidebar\"><div class=\"sidebar-inner\"><div class=\"site-overview\"><p class=\"site-author-name\">%s</p><div class=\"site-description\">%s</div>", esc(s.posts[0].author), esc(s.about))
	fmt.Fprintf(b, "<div class=\"site-state\"><a href=\"/archives/\"><span>%d</span> %s</a> <a href=\"/tags/\"><span>%d</span> %s</a></div></div></div></aside></div></main>\n", len(s.posts), w.archives, len(s.tags), w.tags)
	fmt.Fprintf(b, "<footer id=\"footer\" class=\"footer\"><div class=\"footer-inner\"><div class=\"copyright\">© %s</div><div class=\"powered-by\">%s</div></div></footer></div></body>\n", esc(s.title), w.powered)
}

// cardsPage has columns of widgets on both sides, and breadcrumbs instead of headings.
func cardsPage(b *strings.Builder, s *Site, p *Page, banner string) {
	w := s.words
	fmt.Fprintf(b, "<body class=\"is-3-column\">\n<nav class=\"navbar navbar-main\"><div class=\"container\"><a class=\"navbar-item\" href=\"/\">%s</a><a class=\"navbar-item\" href=\"/archives/\">%s</a><a class=\"navbar-item\" href=\"/categories/\">%s</a><a class=\"navbar-item\" href=\"/tags/\">%s</a></div></nav>\n%s<section class=\"section\"><div class=\"container\"><div class=\"columns\">\n<div class=\"column order-2 column-main\">",
		esc(s.title), w.archives, w.categories, w.tags, notice(banner))
	if p.post != nil {
		fmt.Fprintf(b, "<div class=\"card\"><article class=\"card-content article\"><div class=\"article-meta\"><time>%s</time> %s <a href=\"%s\">%s</a></div>\n", dateOf(p.post.day), esc(p.post.author), p.post.cat.path, esc(p.post.cat.name))
		writeOwn(b, p.own[:1], "<h1 class=\"title is-3\">%s</h1>\n<div class=\"content\">\n", "", "")
		writeOwn(b, p.own[1:], "", "<h2>%s</h2>\n", "")
		fmt.Fprintf(b, "</div><div class=\"article-licensing box\"><p>%s</p><p>%s</p></div><div class=\"article-tags\">", esc(p.Title), esc(s.legal))
		termLinks(b, p.post.tags, "<a class=\"link-muted\" href=\"%s\">%s</a>")
		fmt.Fprintf(b, "</div></article></div>\n<nav class=\"post-navigation\">%s</nav>\n<div class=\"card\"><div class=\"card-content\"><p>%s</p>", s.pager(p, "<a href=\"%s\"><span>%s</span></a>"), esc(s.notice))
		s.comments(b, p, "<h3 class=\"title is-5\">%s</h3>%s", "<div class=\"media\"><strong>%s</strong> <small>%s</small><p>%s</p></div>")
		b.WriteString("</div></div>")
	} else {
		fmt.Fprintf(b, "<div class=\"card\"><div class=\"card-content\"><nav class=\"breadcrumb\"><ul><li><a href=\"/\">%s</a></li><li class=\"is-active\"><a href=\"#\">%s</a></li></ul></nav></div></div>\n<div class=\"card\"><div class=\"card-content\">", w.home, esc(p.Title))
		writeOwn(b, p.own, "<h3 class=\"tag is-primary\">%s</h3>\n", "<h3>%s</h3>\n",
			"<article class=\"media\"><div class=\"media-content\"><a href=\"%s\" class=\"title has-link-black-ter\">%s</a><p><time>%s</time></p>%s</div></article>\n")
		fmt.Fprintf(b, "</div></div><nav class=\"pagination\">%s</nav>", s.pager(p, "<a class=\"pagination-next\" href=\"%s\">%s</a>"))
	}
	fmt.Fprintf(b, "</div>\n<div class=\"column column-left order-1\"><div class=\"card widget\"><div class=\"card-content\"><p class=\"title\">%s</p><p class=\"is-size-6 is-block\">%s</p></div></div>\n<div class=\"card widget\"><div class=\"card-content\"><h3 class=\"menu-label\">%s</h3><ul class=\"menu-list\">", esc(s.posts[0].author), esc(s.about), w.categories)
	termLinks(b, s.cats, "<li><a class=\"level\" href=\"%s\"><span>%s</span><span class=\"tag\">%d</span></a></li>\n")
	fmt.Fprintf(b, "</ul></div></div></div>\n<div class=\"column column-right order-3\"><div class=\"card widget\"><div class=\"card-content\"><h3 class=\"menu-label\">%s</h3>", w.recent)
	s.recent(b, "<article class=\"media\"><a href=\"%s\">%s</a></article>\n")
	fmt.Fprintf(b, "</div></div><div class=\"card widget\"><div class=\"card-content\"><h3 class=\"menu-label\">%s</h3><div class=\"field is-grouped\">", w.tags)
	termLinks(b, s.tags, "<div class=\"control\"><a class=\"tags\" href=\"%s\"><span class=\"tag\">%s</span><span class=\"tag\">%d</span></a></div>\n")
	fmt.Fprintf(b, "</div></div></div></div></div></div></section>\n<footer class=\"footer\"><div class=\"container\"><p class=\"size-small\">© %s. %s</p></div></footer></body>\n", esc(s.title), w.powered)
}

// classicPage has the posts in a separate element, an aside after them, and a
// footer of sentences.
func classicPage(b *strings.Builder, s *Site, p *Page, banner string) {
	w := s.words
	fmt.Fprintf(b, "<body>\n<header role=\"banner\"><hgroup><h1><a href=\"/\">%s</a></h1><h2>%s</h2></hgroup></header>\n<nav role=\"navigation\"><form action=\"/search/\"><input type=\"text\" name=\"q\" placeholder=\"%s\"></form><ul class=\"main-navigation\"><li><a href=\"/\">%s</a></li><li><a href=\"/archives/\">%s</a></li></ul></nav>\n%s<div id=\"main\"><div id=\"content\"><div>",
		esc(s.title), esc(s.about), w.search, w.home, w.archives, notice(banner))
	if p.post != nil {
		b.WriteString("<article class=\"hentry\" role=\"article\"><header>")
		writeOwn(b, p.own[:1], "<h1 class=\"entry-title\">%s</h1>", "", "")
		fmt.Fprintf(b, "<p class=\"meta\"><time pubdate>%s</time> | <a href=\"#disqus_thread\">%s</a></p></header><div class=\"entry-content\">\n", dateOf(p.post.day), w.comments)
		writeOwn(b, p.own[1:], "", "<h2>%s</h2>\n", "")
		fmt.Fprintf(b, "</div><footer><p class=\"meta\"><span class=\"byline author vcard\">%s %s</span> <time>%s</time> <span class=\"categories\"><a class=\"category\" href=\"%s\">%s</a></span></p><p class=\"meta\">%s</p></footer></article>\n<section><h1>%s</h1><p>%s</p><div id=\"disqus_thread\">",
			w.posted, esc(p.post.author), dateOf(p.post.day), p.post.cat.path, esc(p.post.cat.name), s.pager(p, "<a class=\"basic-alignment\" href=\"%s\">%s</a> "), w.comments, esc(s.notice))
		s.comments(b, p, "<!-- %s -->%s", "<p>%s, %s: %s</p>")
		b.WriteString("</div></section>")
	} else {
		b.WriteString("<article role=\"article\"><header>")
		rest := p.own
		if len(rest) > 0 && rest[0].kind == "1" {
			writeOwn(b, rest[:1], "<h1 class=\"entry-title\">%s</h1>", "", "")
			rest = rest[1:]
		}
		b.WriteString("</header><div id=\"blog-archives\">")
		writeOwn(b, rest, "", "<h2>%s</h2>\n", "<article><h1><a href=\"%s\">%s</a></h1><time>%s</time>%s</article>\n")
		fmt.Fprintf(b, "</div></article><div class=\"pagination\">%s</div>", s.pager(p, "<a href=\"%s\">%s</a>"))
	}
	fmt.Fprintf(b, "</div>\n<aside class=\"sidebar thirds\"><section><h1>%s</h1><p>%s</p><p>%s</p></section><section><h1>%s</h1><ul id=\"recent_posts\">", w.profile, esc(s.about), w.follow, w.recent)
	s.recent(b, "<li class=\"post\"><a href=\"%s\">%s</a></li>\n")
	fmt.Fprintf(b, "</ul></section></aside></div></div>\n<footer role=\"contentinfo\"><p>%s</p><p>%s</p></footer></body>\n", esc(s.legal), w.powered)
}

// outerPage is a blog of a portal: only div elements and widgets with numbers, and a list of months
// with the titles of all their posts.
func outerPage(b *strings.Builder, s *Site, p *Page, banner string) {
	w := s.words
	fmt.Fprintf(b, "<body>\n<div id=\"outer-wrapper\"><div id=\"wrap2\">\n<div id=\"header-wrapper\"><div class=\"header section\" id=\"header\"><div class=\"widget Header\" id=\"Header1\"><div class=\"titlewrapper\"><h1 class=\"title\"><a href=\"/\">%s</a></h1></div><div class=\"descriptionwrapper\"><p class=\"description\"><span>%s</span></p></div></div></div></div>\n%s<div id=\"content-wrapper\"><div id=\"main-wrapper\"><div class=\"main section\" id=\"main\"><div class=\"widget Blog\" id=\"Blog1\"><div class=\"blog-posts hfeed\">\n",
		esc(s.title), esc(s.about), notice(banner))
	if p.post != nil {
		fmt.Fprintf(b, "<div class=\"date-outer\"><h2 class=\"date-header\"><span>%s</span></h2><div class=\"post-outer\"><div class=\"post hentry\">", dateOf(p.post.day))
		writeOwn(b, p.own[:1], "<h3 class=\"post-title entry-title\">%s</h3><div class=\"post-body entry-content\">\n", "", "")
		writeOwn(b, p.own[1:], "", "<b>%s</b><br>\n", "")
		fmt.Fprintf(b, "</div><div class=\"post-footer\"><div class=\"post-footer-line\"><span>%s %s</span> <span class=\"post-labels\">", w.by, esc(p.post.author))
		termLinks(b, p.post.tags, "<a href=\"%s\">%s</a>, ")
		fmt.Fprintf(b, "</span></div></div></div><div class=\"comments\" id=\"comments\"><p>%s</p>", esc(s.notice))
		s.comments(b, p, "<h4>%s:</h4><dl>%s</dl>", "<dt>%s</dt><dd>%s</dd><dd><p>%s</p></dd>")
		fmt.Fprintf(b, "</div></div></div></div><div class=\"blog-pager\">%s</div>", s.pager(p, "<a class=\"blog-pager-link\" href=\"%s\">%s</a>"))
	} else {
		writeOwn(b, p.own, "<div class=\"status-msg-wrap\"><div class=\"status-msg-body\">%s</div></div>\n", "<h3>%s</h3>",
			"<div class=\"post-outer\"><div class=\"post\"><h3 class=\"post-title\"><a href=\"%s\">%s</a></h3><span>%s</span>%s</div></div>\n")
		fmt.Fprintf(b, "</div><div class=\"blog-pager\">%s</div>", s.pager(p, "<a class=\"blog-pager-link\" href=\"%s\">%s</a>"))
	}
	fmt.Fprintf(b, "</div></div></div>\n<div id=\"sidebar-wrapper\"><div class=\"sidebar section\" id=\"sidebar\"><div class=\"widget Profile\" id=\"Profile1\"><h2>%s</h2><div class=\"widget-content\"><p>%s</p></div></div>\n<div class=\"widget BlogArchive\" id=\"BlogArchive1\"><h2>%s</h2><div id=\"ArchiveList\">", w.profile, esc(s.about), w.archives)
	termLinks(b, s.months, "<ul class=\"hierarchy\"><li class=\"archivedate\"><a class=\"post-count-link\" href=\"%s\">%s</a> <span class=\"post-count\">(%d)</span></li></ul>\n")
	fmt.Fprintf(b, "</div></div>\n<div class=\"widget Label\" id=\"Label1\"><h2>%s</h2><ul>", w.tags)
	termLinks(b, s.tags, "<li><a href=\"%s\">%s</a> (%d)</li>\n")
	fmt.Fprintf(b, "</ul></div></div></div></div>\n<div id=\"footer-wrapper\"><div class=\"footer section\" id=\"footer\"><div class=\"widget Text\" id=\"Text1\"><div class=\"widget-content\">%s</div></div><div class=\"widget Attribution\">%s</div></div></div></div></div></body>\n", esc(s.legal), w.powered)
}

// handbookPage is a manual of chapters: a column with the contents, and a footer with sentences
// that name the version and a date.
func handbookPage(b *strings.Builder, s *Site, p *Page, banner string) {
	w := s.words
	root := "/" + p.version + "/"
	fmt.Fprintf(b, "<body>\n%s<div class=\"related\" role=\"navigation\"><h3>%s</h3><ul><li class=\"right\"><a href=\"%sgenindex.html\">%s</a></li><li class=\"nav-item\"><a href=\"%[3]s\">%s %s</a> &#187;</li></ul></div>\n<div class=\"document\"><div class=\"documentwrapper\"><div class=\"bodywrapper\"><div class=\"body\" role=\"main\">\n<section>\n",
		notice(banner), w.menu, root, w.index, esc(s.title), p.version)
	writeOwn(b, p.own, "<h1>%s<a class=\"headerlink\" href=\"#top\">¶</a></h1>\n", "<h2>%s<a class=\"headerlink\" href=\"#sec\">¶</a></h2>\n", "<p><a href=\"%s\">%s</a> %s</p>%s")
	fmt.Fprintf(b, "</section>\n<div class=\"clearer\"></div></div></div></div>\n<div class=\"sphinxsidebar\" role=\"navigation\"><div class=\"sphinxsidebarwrapper\"><h1 class=\"logo\"><a href=\"%s\">%s</a></h1><p class=\"blurb\">%s</p><h3>%s</h3><ul>", root, esc(s.title), esc(s.about), w.toc)
	for _, o := range s.toc {
		fmt.Fprintf(b, "<li class=\"toctree-l1\"><a class=\"reference internal\" href=\"%s%s\">%s</a></li>\n", root, o.href, esc(o.text))
	}
	fmt.Fprintf(b, "</ul><div class=\"relations\">%s</div><h3>%s</h3><form class=\"search\" action=\"%ssearch.html\"><input type=\"text\" name=\"q\"></form></div></div><div class=\"clearer\"></div></div>\n", s.pager(p, "<a href=\"%s\">%s</a>"), w.search, root)
	day := 17_000 + 211*slices.Index(versions, p.version)
	fmt.Fprintf(b, "<div class=\"footer\">%s %s, %s. %s</div></body>\n", esc(s.legal), p.version, dateOf(day), w.powered)
}

// apiPage is a manual of classes: a bar of links above and below, a title in its own box, and
// containers that all pages have.
func apiPage(b *strings.Builder, s *Site, p *Page, banner string) {
	root := "/" + p.version + "/"
	bar := func(id string) {
		fmt.Fprintf(b, "<div class=\"%sNav\"><ul class=\"navList\"><li><a href=\"%s\">Overview</a></li><li>Package</li><li class=\"navBarCell1Rev\">Class</li><li>Use</li><li><a href=\"%[2]sallclasses.html\">Index</a></li><li>Help</li></ul><div class=\"aboutLanguage\">%s %s API</div></div>\n<div class=\"subNav\"><ul class=\"navList\">%s</ul><ul class=\"navList\"><li><a href=\"%[2]sallclasses.html\">All Classes</a></li></ul><div><ul class=\"subNavList\"><li>Summary: </li><li>Nested | </li><li>Field | </li><li>Constr | </li><li>Method</li></ul></div></div>\n",
			id, root, esc(s.title), p.version, s.pager(p, "<li><a href=\"%s\"><span class=\"typeNameLink\">%s</span></a></li>"))
	}
	b.WriteString("<body>\n<noscript><div>JavaScript is disabled on your browser.</div></noscript>\n" + notice(banner))
	bar("top")
	rest := p.own
	b.WriteString("<div class=\"header\">\n")
	if len(rest) > 1 && rest[1].kind == "1" {
		fmt.Fprintf(b, "<div class=\"subTitle\">%s</div>\n", esc(rest[0].text))
		rest = rest[1:]
	}
	if len(rest) > 0 && rest[0].kind != "p" && rest[0].kind != "li" {
		fmt.Fprintf(b, "<h2 class=\"title\">%s</h2>\n", esc(rest[0].text))
		rest = rest[1:]
	}
	fmt.Fprintf(b, "</div>\n<div class=\"contentContainer\">\n<div class=\"description\"><ul class=\"blockList\"><li class=\"blockList\"><hr>\n")
	writeOwn(b, rest, "<h2>%s</h2>\n", "<h3>%s</h3>\n", "<p><a href=\"%s\">%s</a> %s</p>%s")
	if p.Class == "api" {
		b.WriteString("<h3>Methods inherited from class java.lang.Object</h3><code>clone, equals, finalize, getClass, hashCode, notify, notifyAll, toString, wait, wait, wait</code>\n")
	}
	b.WriteString("</li></ul></div></div>\n")
	bar("bottom")
	fmt.Fprintf(b, "<p class=\"legalCopy\"><small>%s</small></p></body>\n", esc(s.legal))
}

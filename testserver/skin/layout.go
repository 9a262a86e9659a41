package skin

import (
	"fmt"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// A part is a region of a page.
type part uint8

const (
	Crumbs part = iota
	Main
	Related
	Comments
	Side
)

// A layout is the skeleton of a template. Words in braces are replaced by the
// site's class names and by facts about the site; see New. A field with several pieces has
// the page's content between them.
type layout struct {
	Open      string    // from the doctype to the title
	Described [2]string // between title and description, and between description and style
	body      string    // from the style to the first link of the menu
	menu      [3]string // around href and label of one link
	header    string    // from the last link of the menu to the first part
	Order     []part

	Crumbs [2]string
	Crumb  [3]string

	Main   [2]string
	Byline [3]string // around author and date
	Marks  corpus.Markup

	Entry   [4]string // of a listing: around href, title, abstract
	Group   [2]string // around the heading of a group of entries
	Pager   [2]string
	Turn    [3]string // one link of the pager
	Side    [2]string
	Teaser  [3]string
	Related [2]string
	Relate  [3]string

	Comments [2]string
	Comment  [4]string // around name, date, words

	footer [2]string // before and after the footer's links
	foot   [3]string
}

// Layouts differ as much as the templates of different generators.
var Layouts = []layout{
	{ // semantic elements
		Open:      "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n{meta}<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
		Described: [2]string{" | {name}</title>\n<meta name=\"description\" content=\"", "\">\n"},
		body:      "</head>\n<body class=\"{wrap}\">\n<a class=\"{item}-skip\" href=\"#content\">&darr;</a>\n<header class=\"{head}\" role=\"banner\">\n<div class=\"{head}-logo\"><svg width=\"32\" height=\"32\" viewBox=\"0 0 32 32\"><circle cx=\"16\" cy=\"16\" r=\"14\" fill=\"{hue}\"/></svg><strong>{name}</strong></div>\n<form class=\"{head}-search\" method=\"get\"><input type=\"search\" name=\"q\" placeholder=\"{search}\"><button>{search}</button></form>\n<nav class=\"{nav}\"><ul>\n",
		menu:      [3]string{"<li class=\"{item}\"><a href=\"", "\"><span>", "</span></a></li>\n"},
		header:    "</ul></nav>\n</header>\n<div class=\"{ad}\" data-slot=\"top\"><small>{advert}</small></div>\n",
		Order:     []part{Crumbs, Main, Related, Comments, Side},
		Crumbs:    [2]string{"<nav class=\"{crumb}\" aria-label=\"breadcrumb\"><ol>", "</ol></nav>\n"},
		Crumb:     [3]string{"<li><a href=\"", "\">", "</a></li>"},
		Main:      [2]string{"<main id=\"content\" class=\"{main}\"><article class=\"{text}\">\n", "</article></main>\n"},
		Byline:    [3]string{"<p class=\"{meta-line}\"><span class=\"author\">{by}", "</span> <time>", "</time></p>\n"},
		Marks: corpus.Markup{Title: [2]string{"<h1 class=\"{title}\">", "</h1>\n"}, Lead: [2]string{"<p class=\"{text}-lead\">", "</p>\n"},
			Heading: [2]string{"<h2>", "</h2>\n"}, Para: [2]string{"<p>", "</p>\n"}, Quote: [2]string{"<blockquote><p>", "</p></blockquote>\n"},
			List: [2]string{"<ul>\n", "</ul>\n"}, Item: [2]string{"<li>", "</li>\n"}},
		Entry:    [4]string{"<section class=\"{entry}\"><h3><a href=\"", "\">", "</a></h3><p>", "</p></section>\n"},
		Group:    [2]string{"<h2 class=\"{entry}-group\">", "</h2>\n"},
		Pager:    [2]string{"<nav class=\"{pager}\">", "</nav>\n"},
		Turn:     [3]string{"<a href=\"", "\">", "</a> "},
		Side:     [2]string{"<aside class=\"{side}\"><h4>{latest}</h4><ol>\n", "</ol><div class=\"{ad}\" data-slot=\"side\"><small>{advert}</small></div></aside>\n"},
		Teaser:   [3]string{"<li class=\"{side}-item\"><a href=\"", "\">", "</a></li>\n"},
		Related:  [2]string{"<section class=\"{rel}\"><h4>{related}</h4><ul>\n", "</ul></section>\n"},
		Relate:   [3]string{"<li><a href=\"", "\" class=\"{rel}-link\">", "</a></li>\n"},
		Comments: [2]string{"<section class=\"{cmt}\" id=\"comments\"><h4>{comments}</h4>\n", "</section>\n"},
		Comment:  [4]string{"<article class=\"{cmt}-one\"><header><b>", "</b> <time>", "</time></header><p>", "</p><button class=\"{cmt}-reply\">{reply}</button></article>\n"},
		footer:   [2]string{"<footer class=\"{foot}\" role=\"contentinfo\"><ul>\n", "</ul><p>{name}. {imprint}</p></footer>\n</body>\n</html>\n"},
		foot:     [3]string{"<li><a href=\"", "\">", "</a></li>\n"},
	},
	{ // divisions with ids, the side column first
		Open:      "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\" xml:lang=\"{lang}\" lang=\"{lang}\">\n<head>\n{meta}<title>",
		Described: [2]string{" - {name}</title>\n<meta name=\"description\" content=\"", "\" />\n"},
		body:      "</head>\n<body>\n<div id=\"{wrap}\">\n<div id=\"{head}\"><div class=\"{head}_in\"><div class=\"{title}_site\">{name}</div><div class=\"{head}_tag\">{follow}</div></div></div>\n<div id=\"{nav}\"><div class=\"{nav}_in\">\n",
		menu:      [3]string{"<a class=\"{item}\" href=\"", "\">", "</a> <span class=\"sep\">|</span>\n"},
		header:    "</div></div>\n<div class=\"{ad}\"><div class=\"{ad}_label\">{advert}</div></div>\n<div id=\"{main}_wrap\">\n",
		Order:     []part{Side, Crumbs, Main, Comments, Related},
		Crumbs:    [2]string{"<div class=\"{crumb}\">", "</div>\n"},
		Crumb:     [3]string{"<a href=\"", "\">", "</a> &raquo; "},
		Main:      [2]string{"<div id=\"{main}\"><div class=\"{text}\">\n", "<br class=\"clear\" /></div></div>\n"},
		Byline:    [3]string{"<div class=\"{meta-line}\">{by}<em>", "</em> &middot; <span class=\"date\">", "</span></div>\n"},
		Marks: corpus.Markup{Title: [2]string{"<h1>", "</h1>\n"}, Lead: [2]string{"<p class=\"{text}_intro\">", "</p>\n"},
			Heading: [2]string{"<h3 class=\"{text}_h\">", "</h3>\n"}, Para: [2]string{"<p>", "</p>\n"}, Quote: [2]string{"<div class=\"{text}_q\"><p>", "</p></div>\n"},
			List: [2]string{"<ul class=\"{text}_ul\">\n", "</ul>\n"}, Item: [2]string{"<li>", "</li>\n"}},
		Entry:    [4]string{"<div class=\"{entry}\"><h2><a href=\"", "\" rel=\"bookmark\">", "</a></h2><div class=\"{entry}_sum\">", "</div></div>\n"},
		Group:    [2]string{"<div class=\"{entry}_head\">", "</div>\n"},
		Pager:    [2]string{"<div class=\"{pager}\">", "</div>\n"},
		Turn:     [3]string{"<span><a href=\"", "\">", "</a></span>\n"},
		Side:     [2]string{"<div id=\"{side}\"><div class=\"{side}_box\"><div class=\"{side}_title\">{latest}</div><ul>\n", "</ul></div><div class=\"{side}_box {ad}\">{advert}</div></div>\n"},
		Teaser:   [3]string{"<li><a href=\"", "\"><img src=\"data:image/gif;base64,R0lGODlhAQABAAAAACw=\" alt=\"\" width=\"60\" height=\"40\" />", "</a></li>\n"},
		Related:  [2]string{"<div class=\"{rel}\"><div class=\"{rel}_title\">{related}</div>\n", "</div>\n"},
		Relate:   [3]string{"<div class=\"{rel}_row\"><a href=\"", "\">", "</a></div>\n"},
		Comments: [2]string{"<div id=\"{cmt}\"><div class=\"{cmt}_title\">{comments}</div>\n", "</div>\n"},
		Comment:  [4]string{"<div class=\"{cmt}_row\"><div class=\"{cmt}_who\">", " <i>", "</i></div><div class=\"{cmt}_text\">", "</div><div class=\"{cmt}_act\">{reply}</div></div>\n"},
		footer:   [2]string{"</div>\n<div id=\"{foot}\"><div class=\"{foot}_links\">\n", "</div><div class=\"{foot}_legal\">{name} &copy; {imprint}</div></div>\n</div>\n</body></html>\n"},
		foot:     [3]string{"<a href=\"", "\">", "</a> &nbsp;\n"},
	},
	{ // tables
		Open:      "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<HTML>\n<HEAD>\n{meta}<TITLE>",
		Described: [2]string{"</TITLE>\n<META NAME=\"description\" CONTENT=\"", "\">\n"},
		body:      "</HEAD>\n<BODY BGCOLOR=\"#ffffff\" TEXT=\"#222222\">\n<TABLE WIDTH=\"100%\" BORDER=\"0\" CELLPADDING=\"4\" CLASS=\"{wrap}\">\n<TR><TD COLSPAN=\"2\" BGCOLOR=\"{hue}\" CLASS=\"{head}\"><FONT SIZE=\"5\" COLOR=\"#ffffff\"><B>{name}</B></FONT></TD></TR>\n<TR><TD COLSPAN=\"2\" CLASS=\"{nav}\">\n",
		menu:      [3]string{"[<A HREF=\"", "\" CLASS=\"{item}\">", "</A>]\n"},
		header:    "</TD></TR>\n<TR><TD COLSPAN=\"2\" ALIGN=\"center\" CLASS=\"{ad}\"><FONT SIZE=\"1\">{advert}</FONT></TD></TR>\n<TR VALIGN=\"top\"><TD CLASS=\"{main}_cell\">\n",
		Order:     []part{Crumbs, Main, Comments, Related, Side},
		Crumbs:    [2]string{"<DIV CLASS=\"{crumb}\"><FONT SIZE=\"2\">", "</FONT></DIV>\n"},
		Crumb:     [3]string{"<A HREF=\"", "\">", "</A> &gt; "},
		Main:      [2]string{"<TABLE WIDTH=\"100%\" CLASS=\"{main}\"><TR><TD CLASS=\"{text}\">\n", "</TD></TR></TABLE>\n"},
		Byline:    [3]string{"<FONT SIZE=\"2\" COLOR=\"#888888\">{by}", " (", ")</FONT><HR NOSHADE>\n"},
		Marks: corpus.Markup{Title: [2]string{"<H1 CLASS=\"{title}\">", "</H1>\n"}, Lead: [2]string{"<P><B>&nbsp;</B>", "</P>\n"},
			Heading: [2]string{"<H2>", "</H2>\n"}, Para: [2]string{"<P>", "</P>\n"}, Quote: [2]string{"<BLOCKQUOTE><P><I>", "</I></P></BLOCKQUOTE>\n"},
			List: [2]string{"<UL>\n", "</UL>\n"}, Item: [2]string{"<LI>", "\n"}},
		Entry:    [4]string{"<P CLASS=\"{entry}\"><B><A HREF=\"", "\">", "</A></B><BR>", "</P>\n"},
		Group:    [2]string{"<H3>", "</H3>\n"},
		Pager:    [2]string{"<P ALIGN=\"center\" CLASS=\"{pager}\">", "</P>\n"},
		Turn:     [3]string{"<A HREF=\"", "\">", "</A> &nbsp;"},
		Side:     [2]string{"</TD><TD WIDTH=\"220\" BGCOLOR=\"#eeeeee\" CLASS=\"{side}\"><B>{latest}</B><BR>\n", "<FONT SIZE=\"1\">{advert}</FONT>\n"},
		Teaser:   [3]string{"&#8226; <A HREF=\"", "\">", "</A><BR>\n"},
		Related:  [2]string{"<TABLE CLASS=\"{rel}\"><TR><TH ALIGN=\"left\">{related}</TH></TR>\n", "</TABLE>\n"},
		Relate:   [3]string{"<TR><TD><A HREF=\"", "\">", "</A></TD></TR>\n"},
		Comments: [2]string{"<TABLE WIDTH=\"100%\" CLASS=\"{cmt}\"><TR><TH COLSPAN=\"2\">{comments}</TH></TR>\n", "</TABLE>\n"},
		Comment:  [4]string{"<TR><TD WIDTH=\"120\"><B>", "</B><BR>", "</TD><TD>", "</TD></TR>\n"},
		footer:   [2]string{"</TD></TR>\n<TR><TD COLSPAN=\"2\" ALIGN=\"center\" CLASS=\"{foot}\">\n", "<BR><FONT SIZE=\"1\">{name}. {imprint}</FONT></TD></TR></TABLE>\n</BODY></HTML>\n"},
		foot:     [3]string{"<A HREF=\"", "\">", "</A> |\n"},
	},
	{ // a portal: everything in nested grid cells
		Open:      "<!doctype html>\n<html lang=\"{lang}\" dir=\"ltr\" class=\"no-js\">\n<head>\n{meta}<meta http-equiv=\"X-UA-Compatible\" content=\"IE=edge\">\n<title>{name}: ",
		Described: [2]string{"</title>\n<meta property=\"og:type\" content=\"article\">\n<meta name=\"description\" content=\"", "\">\n"},
		body:      "</head>\n<body>\n<div class=\"{wrap} container-fluid\"><div class=\"row {head}\"><div class=\"col-3\"><span class=\"{head}__brand\" style=\"color:{hue}\">{name}</span></div><div class=\"col-9\"><div class=\"{head}__tools\"><span>{search}</span><span>{follow}</span><span>{share}</span></div></div></div>\n<div class=\"row {nav}\"><div class=\"col-12\"><div class=\"{nav}__list\">\n",
		menu:      [3]string{"<div class=\"{nav}__cell\"><a class=\"{item} btn btn-link\" href=\"", "\">", "</a></div>\n"},
		header:    "</div></div></div>\n<div class=\"row\"><div class=\"col-12 {ad}\"><span>{advert}</span></div></div>\n<div class=\"row {main}__row\"><div class=\"col-8\">\n",
		Order:     []part{Crumbs, Main, Related, Comments, Side},
		Crumbs:    [2]string{"<ul class=\"{crumb} list-inline\">", "</ul>\n"},
		Crumb:     [3]string{"<li class=\"list-inline-item\"><a href=\"", "\">", "</a></li>"},
		Main:      [2]string{"<div class=\"{main}\"><div class=\"card\"><div class=\"card-body {text}\" itemprop=\"articleBody\">\n", "</div></div></div>\n"},
		Byline:    [3]string{"<div class=\"{meta-line} d-flex\"><div itemprop=\"author\">{by}", "</div><div itemprop=\"datePublished\">", "</div></div>\n"},
		Marks: corpus.Markup{Title: [2]string{"<h1 class=\"{title} display-4\" itemprop=\"headline\">", "</h1>\n"}, Lead: [2]string{"<div class=\"{text}__lead\"><p>", "</p></div>\n"},
			Heading: [2]string{"<h2 class=\"{title}--sub\">", "</h2>\n"}, Para: [2]string{"<div class=\"{text}__block\"><p>", "</p></div>\n"}, Quote: [2]string{"<figure class=\"{text}__quote\"><blockquote>", "</blockquote></figure>\n"},
			List: [2]string{"<ol class=\"{text}__list\">\n", "</ol>\n"}, Item: [2]string{"<li><span>", "</span></li>\n"}},
		Entry:    [4]string{"<div class=\"{entry} media\"><div class=\"media-body\"><a class=\"{entry}__title\" href=\"", "\">", "</a><div class=\"{entry}__text\">", "</div></div></div>\n"},
		Group:    [2]string{"<div class=\"{entry}__group\"><h2>", "</h2></div>\n"},
		Pager:    [2]string{"<ul class=\"{pager} pagination\">", "</ul>\n"},
		Turn:     [3]string{"<li class=\"page-item\"><a class=\"page-link\" href=\"", "\">", "</a></li>\n"},
		Side:     [2]string{"</div><div class=\"col-4 {side}\"><div class=\"card\"><div class=\"card-header\">{latest}</div><div class=\"list-group\">\n", "</div></div><div class=\"{ad} sticky\"><span>{advert}</span></div>\n"},
		Teaser:   [3]string{"<a class=\"list-group-item {side}__link\" href=\"", "\">", "</a>\n"},
		Related:  [2]string{"<div class=\"{rel}\"><div class=\"{rel}__head\">{related}</div><div class=\"row\">\n", "</div></div>\n"},
		Relate:   [3]string{"<div class=\"col-6 {rel}__cell\"><a href=\"", "\">", "</a></div>\n"},
		Comments: [2]string{"<div class=\"{cmt}\"><div class=\"{cmt}__head\">{comments}</div>\n", "</div>\n"},
		Comment:  [4]string{"<div class=\"{cmt}__item media\"><div class=\"media-body\"><span class=\"{cmt}__name\">", "</span><span class=\"{cmt}__date\">", "</span><div>", "</div><span class=\"{cmt}__reply\">{reply}</span></div></div>\n"},
		footer:   [2]string{"</div></div>\n<div class=\"row {foot}\"><div class=\"col-12\">\n", "<div class=\"{foot}__legal\">{name} | {imprint}</div></div></div></div>\n</body>\n</html>\n"},
		foot:     [3]string{"<a class=\"{foot}__link\" href=\"", "\">", "</a>\n"},
	},
	{ // a journal kept by one writer
		Open:      "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head profile=\"http://gmpg.org/xfn/11\">\n{meta}<title>",
		Described: [2]string{" &laquo; {name}</title>\n<meta name=\"generator\" content=\"Press 4.2\" />\n<meta name=\"description\" content=\"", "\" />\n"},
		body:      "</head>\n<body class=\"single {wrap}\">\n<div class=\"hfeed {wrap}-page\">\n<div class=\"{head}\" id=\"masthead\"><p class=\"{head}-title\">{name}</p><p class=\"{head}-desc\">{follow}</p></div>\n<div class=\"{nav}\"><ul id=\"menu-main\" class=\"menu\">\n",
		menu:      [3]string{"<li class=\"menu-item {item}\"><a href=\"", "\">", "</a></li>\n"},
		header:    "</ul></div>\n<div class=\"{main}-area\">\n",
		Order:     []part{Main, Related, Comments, Side, Crumbs},
		Crumbs:    [2]string{"<p class=\"{crumb}\">", "</p>\n"},
		Crumb:     [3]string{"<a href=\"", "\" rel=\"category tag\">", "</a>, "},
		Main:      [2]string{"<div class=\"{main}\" role=\"main\"><div class=\"post hentry {text}\">\n", "</div></div>\n"},
		Byline:    [3]string{"<div class=\"entry-meta {meta-line}\"><span class=\"vcard\">{by}", "</span> <abbr class=\"published\">", "</abbr></div>\n"},
		Marks: corpus.Markup{Title: [2]string{"<h2 class=\"entry-title {title}\">", "</h2>\n"}, Lead: [2]string{"<p>", "</p>\n"},
			Heading: [2]string{"<h3>", "</h3>\n"}, Para: [2]string{"<p>", "</p>\n"}, Quote: [2]string{"<blockquote>", "</blockquote>\n"},
			List: [2]string{"<ul>\n", "</ul>\n"}, Item: [2]string{"<li>", "</li>\n"}},
		Entry:    [4]string{"<div class=\"post {entry}\"><h3 class=\"entry-title\"><a href=\"", "\">", "</a></h3><div class=\"entry-summary\"><p>", "</p></div></div>\n"},
		Group:    [2]string{"<h3 class=\"{entry}-group\">", "</h3>\n"},
		Pager:    [2]string{"<div class=\"navigation {pager}\">", "</div>\n"},
		Turn:     [3]string{"<a href=\"", "\" class=\"page-numbers\">", "</a>\n"},
		Side:     [2]string{"</div>\n<div class=\"{side} widget-area\"><ul class=\"xoxo\"><li class=\"widget\"><h3>{latest}</h3><ul>\n", "</ul></li><li class=\"widget {ad}\">{advert}</li></ul></div>\n"},
		Teaser:   [3]string{"<li><a href=\"", "\">", "</a></li>\n"},
		Related:  [2]string{"<div class=\"{rel} yarpp\"><h3>{related}</h3><ol>\n", "</ol></div>\n"},
		Relate:   [3]string{"<li><a href=\"", "\" rel=\"related\">", "</a></li>\n"},
		Comments: [2]string{"<div class=\"{cmt}\"><h3>{comments}</h3><ol class=\"commentlist\">\n", "</ol></div>\n"},
		Comment:  [4]string{"<li class=\"comment\"><div class=\"comment-author\"><cite>", "</cite></div><div class=\"comment-meta\">", "</div><p>", "</p><div class=\"reply\">{reply}</div></li>\n"},
		footer:   [2]string{"<div class=\"{foot}\" id=\"colophon\"><p>\n", "</p><p class=\"{foot}-legal\">{name}. {imprint}</p></div>\n</div>\n</body>\n</html>\n"},
		foot:     [3]string{"<a href=\"", "\">", "</a> &bull;\n"},
	},
}

// Bare is the layout of library documents, which have the same bytes on every
// site: only the text and a link to their listing.
var Bare = layout{
	Open:      "<!DOCTYPE html>\n<html lang=\"{lang}\"><head>{meta}<title>",
	Described: [2]string{"</title><meta name=\"description\" content=\"", "\">"},
	body:      "</head>\n<body>\n", Order: []part{Main},
	Main: [2]string{"<div class=\"document\">\n", "</div>\n<hr><p><a href=\"./\">&uarr;</a></p>\n"},
	Marks: corpus.Markup{Title: [2]string{"<h1>", "</h1>\n"}, Lead: [2]string{"<p>", "</p>\n"}, Heading: [2]string{"<h2>", "</h2>\n"}, Para: [2]string{"<p>", "</p>\n"},
		Quote: [2]string{"<blockquote>", "</blockquote>\n"}, List: [2]string{"<ul>\n", "</ul>\n"}, Item: [2]string{"<li>", "</li>\n"}},
	footer: [2]string{"", "</body></html>\n"},
}

// classNames are class names for the regions, in the order of regions.
var classNames = []string{
	"page masthead navbar nav-item breadcrumbs content-main article-body headline meta-line story sidebar related comments site-footer ad-slot pagination",
	"wrapper hd mainnav mi path col-main artbody ttl info item col-side reco remarks ft banner pg",
	"outer topbar menu entry-link trail primary post-text heading byline card secondary seealso discuss bottom sponsor pages",
	"layout site-header gnb lnk location contents detail subject writer list-row aside more-news reply-box site-info promo paging",
	"root banner-top tabs tab where center prose name credits teaser-row right-rail linked talk closing commercial steps",
	"box kopf leiste punkt pfad inhalt absatz titel autor eintrag rand verwandt meinung fuss werbung blatt",
}

var regions = []string{"wrap", "head", "nav", "item", "crumb", "main", "text", "title", "meta-line", "entry", "side", "rel", "cmt", "foot", "ad", "pager"}

// The charsets of sites.
const (
	UTF8        = "utf-8"
	GBK         = "gbk"
	Windows1252 = "windows-1252"
)

// A Skin is a layout with one site's class names, ready to be copied into pages: about 8 kB,
// and the style.
type Skin struct {
	layout
	ID          int
	Charset     string
	ContentType []string // the Content-Type header
	Style       string   // style sheet and scripts, between head and body
	Top         [3]string
	Bottom      [3]string
	Up          [3]string
}

// ups are the references from a page of depth 0, 1 or 2 to the root.
var ups = [3]string{"", "../", "../../"}

// A Link is a link from any page of a site to a path relative to its root.
type Link struct{ Path, Label string }

// New makes the skin of a site; filler is the size of its style in bytes.
func New(f *layout, id int, seed uint64, name, charset string, v *corpus.Corpus, menu, foot []Link, filler int) *Skin {
	d := corpus.RNG(seed)
	classes := strings.Fields(classNames[d.IntN(len(classNames))])
	prefix := corpus.Pick([]string{"", "x-", "c" + strconv.Itoa(d.IntN(90)+10) + "-", "t" + strconv.Itoa(d.IntN(9)) + "_", "mod-"}, d.Uint64())
	meta, ctype := "<meta charset=\""+charset+"\">\n", "text/html; charset="+charset
	switch charset {
	case GBK:
		meta, ctype = "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=gbk\">\n", "text/html"
	case Windows1252:
		meta = ""
	}
	l := v.Labels
	hue := fmt.Sprintf("#%06x", d.IntN(1<<24))
	words := []string{"{lang}", v.Lang, "{meta}", meta, "{name}", name, "{hue}", hue, "{by}", l.By, "{search}", l.Search, "{share}", l.Share,
		"{follow}", l.Follow, "{advert}", l.Advert, "{imprint}", l.Imprint, "{latest}", l.Latest, "{related}", l.Related, "{comments}", l.Comments, "{reply}", l.Reply}
	for i, region := range regions {
		words = append(words, "{"+region+"}", prefix+classes[i])
	}
	s := &Skin{layout: *f, ID: id, Charset: charset, ContentType: []string{ctype}, Up: ups}
	fill := strings.NewReplacer(words...)
	for _, piece := range s.pieces() {
		*piece = fill.Replace(*piece)
	}
	s.Style = styleOf(classes, prefix, hue, filler, &d)
	for depth, up := range ups {
		s.Top[depth] = s.body + links(s.menu, up, menu) + s.header
		s.Bottom[depth] = s.footer[0] + links(s.foot, up, foot) + s.footer[1]
	}
	return s
}

// pieces returns every string of the layout that may have a class name.
func (f *layout) pieces() []*string {
	p := []*string{&f.Open, &f.body, &f.header}
	add := func(s []string) {
		for i := range s {
			p = append(p, &s[i])
		}
	}
	m := &f.Marks
	for _, pair := range []*[2]string{&f.Described, &f.Crumbs, &f.Main, &f.Group, &f.Pager, &f.Side, &f.Related, &f.Comments, &f.footer,
		&m.Title, &m.Lead, &m.Heading, &m.Para, &m.Quote, &m.List, &m.Item} {
		add(pair[:])
	}
	for _, triple := range []*[3]string{&f.menu, &f.Crumb, &f.Byline, &f.Turn, &f.Teaser, &f.Relate, &f.foot} {
		add(triple[:])
	}
	add(f.Entry[:])
	add(f.Comment[:])
	return p
}

func links(around [3]string, up string, to []Link) string {
	var b strings.Builder
	for _, l := range to {
		href := up + l.Path
		if href == "" {
			href = "./"
		}
		b.WriteString(around[0] + href + around[1] + l.Label + around[2])
	}
	return b.String()
}

// styleOf returns a style sheet and a script of n bytes, or up to one rule more.
func styleOf(classes []string, prefix, hue string, n int, d *corpus.RNG) string {
	if n <= 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<style type=\"text/css\">\n")
	for b.Len() < n*2/3 {
		fmt.Fprintf(&b, ".%s%s-%d{margin:%dpx %dpx;padding:%dpx;color:%s;width:%d%%}\n", prefix, corpus.Pick(classes, d.Uint64()), d.IntN(60), d.IntN(20), d.IntN(30), d.IntN(12), hue, d.IntN(100))
	}
	b.WriteString("</style>\n<script type=\"text/javascript\">\n")
	for b.Len() < n {
		fmt.Fprintf(&b, "window._q%d=window._q%d||[];_q%d.push(['track','%s',%d,{v:%d}]);\n", d.IntN(9), d.IntN(9), d.IntN(9), corpus.Pick(classes, d.Uint64()), d.IntN(1<<20), d.IntN(1000))
	}
	b.WriteString("</script>\n")
	return b.String()
}

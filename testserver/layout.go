package testserver

import (
	"fmt"
	"strconv"
	"strings"
)

// A part is a region of a page.
type part uint8

const (
	partCrumbs part = iota
	partMain
	partRelated
	partComments
	partSide
)

// A family is the skeleton of a template. Words in braces are class names, which
// a site's dialect fills, and the few facts of the site; see wear. Where a
// family gives several pieces, what a page has to say stands between them.
type family struct {
	open      string    // from the doctype to the title
	described [2]string // between title and description, and between description and style
	body      string    // from the style to the first link of the menu
	menu      [3]string // around href and label of one link
	header    string    // from the last link of the menu to the first part
	order     []part

	crumbs [2]string
	crumb  [3]string

	main   [2]string
	byline [3]string // around author and date
	marks  marks

	entry   [4]string // of a listing: around href, title, abstract
	group   [2]string // around the heading of a group of entries
	pager   [2]string
	turn    [3]string // one link of the pager
	side    [2]string
	teaser  [3]string
	related [2]string
	relate  [3]string

	comments [2]string
	comment  [4]string // around name, date, words

	footer [2]string // before and after the footer's links
	foot   [3]string
}

// families are as unlike each other as templates of different makers are.
var families = []family{
	{ // semantic elements
		open:      "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n{meta}<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
		described: [2]string{" | {name}</title>\n<meta name=\"description\" content=\"", "\">\n"},
		body:      "</head>\n<body class=\"{wrap}\">\n<a class=\"{item}-skip\" href=\"#content\">&darr;</a>\n<header class=\"{head}\" role=\"banner\">\n<div class=\"{head}-logo\"><svg width=\"32\" height=\"32\" viewBox=\"0 0 32 32\"><circle cx=\"16\" cy=\"16\" r=\"14\" fill=\"{hue}\"/></svg><strong>{name}</strong></div>\n<form class=\"{head}-search\" method=\"get\"><input type=\"search\" name=\"q\" placeholder=\"{search}\"><button>{search}</button></form>\n<nav class=\"{nav}\"><ul>\n",
		menu:      [3]string{"<li class=\"{item}\"><a href=\"", "\"><span>", "</span></a></li>\n"},
		header:    "</ul></nav>\n</header>\n<div class=\"{ad}\" data-slot=\"top\"><small>{advert}</small></div>\n",
		order:     []part{partCrumbs, partMain, partRelated, partComments, partSide},
		crumbs:    [2]string{"<nav class=\"{crumb}\" aria-label=\"breadcrumb\"><ol>", "</ol></nav>\n"},
		crumb:     [3]string{"<li><a href=\"", "\">", "</a></li>"},
		main:      [2]string{"<main id=\"content\" class=\"{main}\"><article class=\"{text}\">\n", "</article></main>\n"},
		byline:    [3]string{"<p class=\"{meta-line}\"><span class=\"author\">{by}", "</span> <time>", "</time></p>\n"},
		marks: marks{title: [2]string{"<h1 class=\"{title}\">", "</h1>\n"}, lead: [2]string{"<p class=\"{text}-lead\">", "</p>\n"},
			heading: [2]string{"<h2>", "</h2>\n"}, para: [2]string{"<p>", "</p>\n"}, quote: [2]string{"<blockquote><p>", "</p></blockquote>\n"},
			list: [2]string{"<ul>\n", "</ul>\n"}, item: [2]string{"<li>", "</li>\n"}},
		entry:    [4]string{"<section class=\"{entry}\"><h3><a href=\"", "\">", "</a></h3><p>", "</p></section>\n"},
		group:    [2]string{"<h2 class=\"{entry}-group\">", "</h2>\n"},
		pager:    [2]string{"<nav class=\"{pager}\">", "</nav>\n"},
		turn:     [3]string{"<a href=\"", "\">", "</a> "},
		side:     [2]string{"<aside class=\"{side}\"><h4>{latest}</h4><ol>\n", "</ol><div class=\"{ad}\" data-slot=\"side\"><small>{advert}</small></div></aside>\n"},
		teaser:   [3]string{"<li class=\"{side}-item\"><a href=\"", "\">", "</a></li>\n"},
		related:  [2]string{"<section class=\"{rel}\"><h4>{related}</h4><ul>\n", "</ul></section>\n"},
		relate:   [3]string{"<li><a href=\"", "\" class=\"{rel}-link\">", "</a></li>\n"},
		comments: [2]string{"<section class=\"{cmt}\" id=\"comments\"><h4>{comments}</h4>\n", "</section>\n"},
		comment:  [4]string{"<article class=\"{cmt}-one\"><header><b>", "</b> <time>", "</time></header><p>", "</p><button class=\"{cmt}-reply\">{reply}</button></article>\n"},
		footer:   [2]string{"<footer class=\"{foot}\" role=\"contentinfo\"><ul>\n", "</ul><p>{name}. {imprint}</p></footer>\n</body>\n</html>\n"},
		foot:     [3]string{"<li><a href=\"", "\">", "</a></li>\n"},
	},
	{ // divisions with ids, the side column first
		open:      "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\" xml:lang=\"{lang}\" lang=\"{lang}\">\n<head>\n{meta}<title>",
		described: [2]string{" - {name}</title>\n<meta name=\"description\" content=\"", "\" />\n"},
		body:      "</head>\n<body>\n<div id=\"{wrap}\">\n<div id=\"{head}\"><div class=\"{head}_in\"><div class=\"{title}_site\">{name}</div><div class=\"{head}_tag\">{follow}</div></div></div>\n<div id=\"{nav}\"><div class=\"{nav}_in\">\n",
		menu:      [3]string{"<a class=\"{item}\" href=\"", "\">", "</a> <span class=\"sep\">|</span>\n"},
		header:    "</div></div>\n<div class=\"{ad}\"><div class=\"{ad}_label\">{advert}</div></div>\n<div id=\"{main}_wrap\">\n",
		order:     []part{partSide, partCrumbs, partMain, partComments, partRelated},
		crumbs:    [2]string{"<div class=\"{crumb}\">", "</div>\n"},
		crumb:     [3]string{"<a href=\"", "\">", "</a> &raquo; "},
		main:      [2]string{"<div id=\"{main}\"><div class=\"{text}\">\n", "<br class=\"clear\" /></div></div>\n"},
		byline:    [3]string{"<div class=\"{meta-line}\">{by}<em>", "</em> &middot; <span class=\"date\">", "</span></div>\n"},
		marks: marks{title: [2]string{"<h1>", "</h1>\n"}, lead: [2]string{"<p class=\"{text}_intro\">", "</p>\n"},
			heading: [2]string{"<h3 class=\"{text}_h\">", "</h3>\n"}, para: [2]string{"<p>", "</p>\n"}, quote: [2]string{"<div class=\"{text}_q\"><p>", "</p></div>\n"},
			list: [2]string{"<ul class=\"{text}_ul\">\n", "</ul>\n"}, item: [2]string{"<li>", "</li>\n"}},
		entry:    [4]string{"<div class=\"{entry}\"><h2><a href=\"", "\" rel=\"bookmark\">", "</a></h2><div class=\"{entry}_sum\">", "</div></div>\n"},
		group:    [2]string{"<div class=\"{entry}_head\">", "</div>\n"},
		pager:    [2]string{"<div class=\"{pager}\">", "</div>\n"},
		turn:     [3]string{"<span><a href=\"", "\">", "</a></span>\n"},
		side:     [2]string{"<div id=\"{side}\"><div class=\"{side}_box\"><div class=\"{side}_title\">{latest}</div><ul>\n", "</ul></div><div class=\"{side}_box {ad}\">{advert}</div></div>\n"},
		teaser:   [3]string{"<li><a href=\"", "\"><img src=\"data:image/gif;base64,R0lGODlhAQABAAAAACw=\" alt=\"\" width=\"60\" height=\"40\" />", "</a></li>\n"},
		related:  [2]string{"<div class=\"{rel}\"><div class=\"{rel}_title\">{related}</div>\n", "</div>\n"},
		relate:   [3]string{"<div class=\"{rel}_row\"><a href=\"", "\">", "</a></div>\n"},
		comments: [2]string{"<div id=\"{cmt}\"><div class=\"{cmt}_title\">{comments}</div>\n", "</div>\n"},
		comment:  [4]string{"<div class=\"{cmt}_row\"><div class=\"{cmt}_who\">", " <i>", "</i></div><div class=\"{cmt}_text\">", "</div><div class=\"{cmt}_act\">{reply}</div></div>\n"},
		footer:   [2]string{"</div>\n<div id=\"{foot}\"><div class=\"{foot}_links\">\n", "</div><div class=\"{foot}_legal\">{name} &copy; {imprint}</div></div>\n</div>\n</body></html>\n"},
		foot:     [3]string{"<a href=\"", "\">", "</a> &nbsp;\n"},
	},
	{ // tables
		open:      "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<HTML>\n<HEAD>\n{meta}<TITLE>",
		described: [2]string{"</TITLE>\n<META NAME=\"description\" CONTENT=\"", "\">\n"},
		body:      "</HEAD>\n<BODY BGCOLOR=\"#ffffff\" TEXT=\"#222222\">\n<TABLE WIDTH=\"100%\" BORDER=\"0\" CELLPADDING=\"4\" CLASS=\"{wrap}\">\n<TR><TD COLSPAN=\"2\" BGCOLOR=\"{hue}\" CLASS=\"{head}\"><FONT SIZE=\"5\" COLOR=\"#ffffff\"><B>{name}</B></FONT></TD></TR>\n<TR><TD COLSPAN=\"2\" CLASS=\"{nav}\">\n",
		menu:      [3]string{"[<A HREF=\"", "\" CLASS=\"{item}\">", "</A>]\n"},
		header:    "</TD></TR>\n<TR><TD COLSPAN=\"2\" ALIGN=\"center\" CLASS=\"{ad}\"><FONT SIZE=\"1\">{advert}</FONT></TD></TR>\n<TR VALIGN=\"top\"><TD CLASS=\"{main}_cell\">\n",
		order:     []part{partCrumbs, partMain, partComments, partRelated, partSide},
		crumbs:    [2]string{"<DIV CLASS=\"{crumb}\"><FONT SIZE=\"2\">", "</FONT></DIV>\n"},
		crumb:     [3]string{"<A HREF=\"", "\">", "</A> &gt; "},
		main:      [2]string{"<TABLE WIDTH=\"100%\" CLASS=\"{main}\"><TR><TD CLASS=\"{text}\">\n", "</TD></TR></TABLE>\n"},
		byline:    [3]string{"<FONT SIZE=\"2\" COLOR=\"#888888\">{by}", " (", ")</FONT><HR NOSHADE>\n"},
		marks: marks{title: [2]string{"<H1 CLASS=\"{title}\">", "</H1>\n"}, lead: [2]string{"<P><B>&nbsp;</B>", "</P>\n"},
			heading: [2]string{"<H2>", "</H2>\n"}, para: [2]string{"<P>", "</P>\n"}, quote: [2]string{"<BLOCKQUOTE><P><I>", "</I></P></BLOCKQUOTE>\n"},
			list: [2]string{"<UL>\n", "</UL>\n"}, item: [2]string{"<LI>", "\n"}},
		entry:    [4]string{"<P CLASS=\"{entry}\"><B><A HREF=\"", "\">", "</A></B><BR>", "</P>\n"},
		group:    [2]string{"<H3>", "</H3>\n"},
		pager:    [2]string{"<P ALIGN=\"center\" CLASS=\"{pager}\">", "</P>\n"},
		turn:     [3]string{"<A HREF=\"", "\">", "</A> &nbsp;"},
		side:     [2]string{"</TD><TD WIDTH=\"220\" BGCOLOR=\"#eeeeee\" CLASS=\"{side}\"><B>{latest}</B><BR>\n", "<FONT SIZE=\"1\">{advert}</FONT>\n"},
		teaser:   [3]string{"&#8226; <A HREF=\"", "\">", "</A><BR>\n"},
		related:  [2]string{"<TABLE CLASS=\"{rel}\"><TR><TH ALIGN=\"left\">{related}</TH></TR>\n", "</TABLE>\n"},
		relate:   [3]string{"<TR><TD><A HREF=\"", "\">", "</A></TD></TR>\n"},
		comments: [2]string{"<TABLE WIDTH=\"100%\" CLASS=\"{cmt}\"><TR><TH COLSPAN=\"2\">{comments}</TH></TR>\n", "</TABLE>\n"},
		comment:  [4]string{"<TR><TD WIDTH=\"120\"><B>", "</B><BR>", "</TD><TD>", "</TD></TR>\n"},
		footer:   [2]string{"</TD></TR>\n<TR><TD COLSPAN=\"2\" ALIGN=\"center\" CLASS=\"{foot}\">\n", "<BR><FONT SIZE=\"1\">{name}. {imprint}</FONT></TD></TR></TABLE>\n</BODY></HTML>\n"},
		foot:     [3]string{"<A HREF=\"", "\">", "</A> |\n"},
	},
	{ // a portal: everything in nested grid cells
		open:      "<!doctype html>\n<html lang=\"{lang}\" dir=\"ltr\" class=\"no-js\">\n<head>\n{meta}<meta http-equiv=\"X-UA-Compatible\" content=\"IE=edge\">\n<title>{name}: ",
		described: [2]string{"</title>\n<meta property=\"og:type\" content=\"article\">\n<meta name=\"description\" content=\"", "\">\n"},
		body:      "</head>\n<body>\n<div class=\"{wrap} container-fluid\"><div class=\"row {head}\"><div class=\"col-3\"><span class=\"{head}__brand\" style=\"color:{hue}\">{name}</span></div><div class=\"col-9\"><div class=\"{head}__tools\"><span>{search}</span><span>{follow}</span><span>{share}</span></div></div></div>\n<div class=\"row {nav}\"><div class=\"col-12\"><div class=\"{nav}__list\">\n",
		menu:      [3]string{"<div class=\"{nav}__cell\"><a class=\"{item} btn btn-link\" href=\"", "\">", "</a></div>\n"},
		header:    "</div></div></div>\n<div class=\"row\"><div class=\"col-12 {ad}\"><span>{advert}</span></div></div>\n<div class=\"row {main}__row\"><div class=\"col-8\">\n",
		order:     []part{partCrumbs, partMain, partRelated, partComments, partSide},
		crumbs:    [2]string{"<ul class=\"{crumb} list-inline\">", "</ul>\n"},
		crumb:     [3]string{"<li class=\"list-inline-item\"><a href=\"", "\">", "</a></li>"},
		main:      [2]string{"<div class=\"{main}\"><div class=\"card\"><div class=\"card-body {text}\" itemprop=\"articleBody\">\n", "</div></div></div>\n"},
		byline:    [3]string{"<div class=\"{meta-line} d-flex\"><div itemprop=\"author\">{by}", "</div><div itemprop=\"datePublished\">", "</div></div>\n"},
		marks: marks{title: [2]string{"<h1 class=\"{title} display-4\" itemprop=\"headline\">", "</h1>\n"}, lead: [2]string{"<div class=\"{text}__lead\"><p>", "</p></div>\n"},
			heading: [2]string{"<h2 class=\"{title}--sub\">", "</h2>\n"}, para: [2]string{"<div class=\"{text}__block\"><p>", "</p></div>\n"}, quote: [2]string{"<figure class=\"{text}__quote\"><blockquote>", "</blockquote></figure>\n"},
			list: [2]string{"<ol class=\"{text}__list\">\n", "</ol>\n"}, item: [2]string{"<li><span>", "</span></li>\n"}},
		entry:    [4]string{"<div class=\"{entry} media\"><div class=\"media-body\"><a class=\"{entry}__title\" href=\"", "\">", "</a><div class=\"{entry}__text\">", "</div></div></div>\n"},
		group:    [2]string{"<div class=\"{entry}__group\"><h2>", "</h2></div>\n"},
		pager:    [2]string{"<ul class=\"{pager} pagination\">", "</ul>\n"},
		turn:     [3]string{"<li class=\"page-item\"><a class=\"page-link\" href=\"", "\">", "</a></li>\n"},
		side:     [2]string{"</div><div class=\"col-4 {side}\"><div class=\"card\"><div class=\"card-header\">{latest}</div><div class=\"list-group\">\n", "</div></div><div class=\"{ad} sticky\"><span>{advert}</span></div>\n"},
		teaser:   [3]string{"<a class=\"list-group-item {side}__link\" href=\"", "\">", "</a>\n"},
		related:  [2]string{"<div class=\"{rel}\"><div class=\"{rel}__head\">{related}</div><div class=\"row\">\n", "</div></div>\n"},
		relate:   [3]string{"<div class=\"col-6 {rel}__cell\"><a href=\"", "\">", "</a></div>\n"},
		comments: [2]string{"<div class=\"{cmt}\"><div class=\"{cmt}__head\">{comments}</div>\n", "</div>\n"},
		comment:  [4]string{"<div class=\"{cmt}__item media\"><div class=\"media-body\"><span class=\"{cmt}__name\">", "</span><span class=\"{cmt}__date\">", "</span><div>", "</div><span class=\"{cmt}__reply\">{reply}</span></div></div>\n"},
		footer:   [2]string{"</div></div>\n<div class=\"row {foot}\"><div class=\"col-12\">\n", "<div class=\"{foot}__legal\">{name} | {imprint}</div></div></div></div>\n</body>\n</html>\n"},
		foot:     [3]string{"<a class=\"{foot}__link\" href=\"", "\">", "</a>\n"},
	},
	{ // a journal kept by one writer
		open:      "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head profile=\"http://gmpg.org/xfn/11\">\n{meta}<title>",
		described: [2]string{" &laquo; {name}</title>\n<meta name=\"generator\" content=\"Press 4.2\" />\n<meta name=\"description\" content=\"", "\" />\n"},
		body:      "</head>\n<body class=\"single {wrap}\">\n<div class=\"hfeed {wrap}-page\">\n<div class=\"{head}\" id=\"masthead\"><p class=\"{head}-title\">{name}</p><p class=\"{head}-desc\">{follow}</p></div>\n<div class=\"{nav}\"><ul id=\"menu-main\" class=\"menu\">\n",
		menu:      [3]string{"<li class=\"menu-item {item}\"><a href=\"", "\">", "</a></li>\n"},
		header:    "</ul></div>\n<div class=\"{main}-area\">\n",
		order:     []part{partMain, partRelated, partComments, partSide, partCrumbs},
		crumbs:    [2]string{"<p class=\"{crumb}\">", "</p>\n"},
		crumb:     [3]string{"<a href=\"", "\" rel=\"category tag\">", "</a>, "},
		main:      [2]string{"<div class=\"{main}\" role=\"main\"><div class=\"post hentry {text}\">\n", "</div></div>\n"},
		byline:    [3]string{"<div class=\"entry-meta {meta-line}\"><span class=\"vcard\">{by}", "</span> <abbr class=\"published\">", "</abbr></div>\n"},
		marks: marks{title: [2]string{"<h2 class=\"entry-title {title}\">", "</h2>\n"}, lead: [2]string{"<p>", "</p>\n"},
			heading: [2]string{"<h3>", "</h3>\n"}, para: [2]string{"<p>", "</p>\n"}, quote: [2]string{"<blockquote>", "</blockquote>\n"},
			list: [2]string{"<ul>\n", "</ul>\n"}, item: [2]string{"<li>", "</li>\n"}},
		entry:    [4]string{"<div class=\"post {entry}\"><h3 class=\"entry-title\"><a href=\"", "\">", "</a></h3><div class=\"entry-summary\"><p>", "</p></div></div>\n"},
		group:    [2]string{"<h3 class=\"{entry}-group\">", "</h3>\n"},
		pager:    [2]string{"<div class=\"navigation {pager}\">", "</div>\n"},
		turn:     [3]string{"<a href=\"", "\" class=\"page-numbers\">", "</a>\n"},
		side:     [2]string{"</div>\n<div class=\"{side} widget-area\"><ul class=\"xoxo\"><li class=\"widget\"><h3>{latest}</h3><ul>\n", "</ul></li><li class=\"widget {ad}\">{advert}</li></ul></div>\n"},
		teaser:   [3]string{"<li><a href=\"", "\">", "</a></li>\n"},
		related:  [2]string{"<div class=\"{rel} yarpp\"><h3>{related}</h3><ol>\n", "</ol></div>\n"},
		relate:   [3]string{"<li><a href=\"", "\" rel=\"related\">", "</a></li>\n"},
		comments: [2]string{"<div class=\"{cmt}\"><h3>{comments}</h3><ol class=\"commentlist\">\n", "</ol></div>\n"},
		comment:  [4]string{"<li class=\"comment\"><div class=\"comment-author\"><cite>", "</cite></div><div class=\"comment-meta\">", "</div><p>", "</p><div class=\"reply\">{reply}</div></li>\n"},
		footer:   [2]string{"<div class=\"{foot}\" id=\"colophon\"><p>\n", "</p><p class=\"{foot}-legal\">{name}. {imprint}</p></div>\n</div>\n</body>\n</html>\n"},
		foot:     [3]string{"<a href=\"", "\">", "</a> &bull;\n"},
	},
}

// bare is the layout of library documents, which have the same bytes on every
// site: nothing but the text and a link to the listing they stand in.
var bare = family{
	open:      "<!DOCTYPE html>\n<html lang=\"{lang}\"><head>{meta}<title>",
	described: [2]string{"</title><meta name=\"description\" content=\"", "\">"},
	body:      "</head>\n<body>\n", order: []part{partMain},
	main: [2]string{"<div class=\"document\">\n", "</div>\n<hr><p><a href=\"./\">&uarr;</a></p>\n"},
	marks: marks{title: [2]string{"<h1>", "</h1>\n"}, lead: [2]string{"<p>", "</p>\n"}, heading: [2]string{"<h2>", "</h2>\n"}, para: [2]string{"<p>", "</p>\n"},
		quote: [2]string{"<blockquote>", "</blockquote>\n"}, list: [2]string{"<ul>\n", "</ul>\n"}, item: [2]string{"<li>", "</li>\n"}},
	footer: [2]string{"", "</body></html>\n"},
}

// dialects are class names for the regions, in the order of regions.
var dialects = []string{
	"page masthead navbar nav-item breadcrumbs content-main article-body headline meta-line story sidebar related comments site-footer ad-slot pagination",
	"wrapper hd mainnav mi path col-main artbody ttl info item col-side reco remarks ft banner pg",
	"outer topbar menu entry-link trail primary post-text heading byline card secondary seealso discuss bottom sponsor pages",
	"layout site-header gnb lnk location contents detail subject writer list-row aside more-news reply-box site-info promo paging",
	"root banner-top tabs tab where center prose name credits teaser-row right-rail linked talk closing commercial steps",
	"box kopf leiste punkt pfad inhalt absatz titel autor eintrag rand verwandt meinung fuss werbung blatt",
}

var regions = []string{"wrap", "head", "nav", "item", "crumb", "main", "text", "title", "meta-line", "entry", "side", "rel", "cmt", "foot", "ad", "pager"}

// The charsets that sites answer in.
const (
	utf8Charset    = "utf-8"
	gbkCharset     = "gbk"
	windowsCharset = "windows-1252"
)

// A skin is a family in one site's dialect, ready to be copied into pages: about
// 8 kB, and the style.
type skin struct {
	family
	id      int
	charset string
	ctype   []string // the Content-Type header
	style   string   // style sheet and scripts, between head and body
	top     [3]string
	bottom  [3]string
	up      [3]string
}

// ups lead from a page of depth 0, 1 or 2 to the root.
var ups = [3]string{"", "../", "../../"}

// A link leads from any page of a site to a path below its root.
type link struct{ path, label string }

// wear makes the skin of a site; filler is the size of its style in bytes.
func wear(f *family, id int, seed uint64, name, charset string, v *voice, menu, foot []link, filler int) *skin {
	d := dice(seed)
	classes := strings.Fields(dialects[d.below(len(dialects))])
	prefix := pick([]string{"", "x-", "c" + strconv.Itoa(d.below(90)+10) + "-", "t" + strconv.Itoa(d.below(9)) + "_", "mod-"}, d.roll())
	meta, ctype := "<meta charset=\""+charset+"\">\n", "text/html; charset="+charset
	switch charset {
	case gbkCharset:
		meta, ctype = "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=gbk\">\n", "text/html"
	case windowsCharset:
		meta = ""
	}
	l := v.labels
	hue := fmt.Sprintf("#%06x", d.below(1<<24))
	words := []string{"{lang}", v.lang, "{meta}", meta, "{name}", name, "{hue}", hue, "{by}", l.by, "{search}", l.search, "{share}", l.share,
		"{follow}", l.follow, "{advert}", l.advert, "{imprint}", l.imprint, "{latest}", l.latest, "{related}", l.related, "{comments}", l.comments, "{reply}", l.reply}
	for i, region := range regions {
		words = append(words, "{"+region+"}", prefix+classes[i])
	}
	s := &skin{family: *f, id: id, charset: charset, ctype: []string{ctype}, up: ups}
	fill := strings.NewReplacer(words...)
	for _, piece := range s.pieces() {
		*piece = fill.Replace(*piece)
	}
	s.style = styleOf(classes, prefix, hue, filler, &d)
	for depth, up := range ups {
		s.top[depth] = s.body + links(s.menu, up, menu) + s.header
		s.bottom[depth] = s.footer[0] + links(s.foot, up, foot) + s.footer[1]
	}
	return s
}

// pieces lists every string of the family that may name a class.
func (f *family) pieces() []*string {
	p := []*string{&f.open, &f.body, &f.header}
	add := func(s []string) {
		for i := range s {
			p = append(p, &s[i])
		}
	}
	m := &f.marks
	for _, pair := range []*[2]string{&f.described, &f.crumbs, &f.main, &f.group, &f.pager, &f.side, &f.related, &f.comments, &f.footer,
		&m.title, &m.lead, &m.heading, &m.para, &m.quote, &m.list, &m.item} {
		add(pair[:])
	}
	for _, triple := range []*[3]string{&f.menu, &f.crumb, &f.byline, &f.turn, &f.teaser, &f.relate, &f.foot} {
		add(triple[:])
	}
	add(f.entry[:])
	add(f.comment[:])
	return p
}

func links(around [3]string, up string, to []link) string {
	var b strings.Builder
	for _, l := range to {
		href := up + l.path
		if href == "" {
			href = "./"
		}
		b.WriteString(around[0] + href + around[1] + l.label + around[2])
	}
	return b.String()
}

// styleOf returns a style sheet and a script that are n bytes long, about a
// rule more.
func styleOf(classes []string, prefix, hue string, n int, d *dice) string {
	if n <= 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<style type=\"text/css\">\n")
	for b.Len() < n*2/3 {
		fmt.Fprintf(&b, ".%s%s-%d{margin:%dpx %dpx;padding:%dpx;color:%s;width:%d%%}\n", prefix, pick(classes, d.roll()), d.below(60), d.below(20), d.below(30), d.below(12), hue, d.below(100))
	}
	b.WriteString("</style>\n<script type=\"text/javascript\">\n")
	for b.Len() < n {
		fmt.Fprintf(&b, "window._q%d=window._q%d||[];_q%d.push(['track','%s',%d,{v:%d}]);\n", d.below(9), d.below(9), d.below(9), pick(classes, d.roll()), d.below(1<<20), d.below(1000))
	}
	b.WriteString("</script>\n")
	return b.String()
}

package metadata

import (
	"cmp"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/words"
)

const (
	maxFolders = 4
	maxCrumbs  = 8
	maxCrumb   = 200 // bytes
)

// Category returns the page's place on its site, without the site itself: the breadcrumb of its
// metadata, or else the one that the page shows, its section, or the folders of its URL.
func Category(o *blocks.Outline, m *Declared, url, title string) []string {
	site := siteWords(m.site, cmp.Or(url, m.Canonical, m.OGURL))
	if path := site.trail(m.Breadcrumb, title); len(path) > 0 {
		return path
	}
	if path := site.trail(shownCrumbs(o), title); len(path) > 0 {
		return path
	}
	if m.section != "" {
		return []string{m.section}
	}
	return Folders(cmp.Or(url, m.Canonical, m.OGURL))
}

// shownCrumbs returns the links of the page's breadcrumbs.
func shownCrumbs(o *blocks.Outline) []string {
	var names []string
	for i := range o.Links {
		a := &o.Links[i]
		if int(a.Block) < len(o.Blocks) && o.Blocks[a.Block].Hints&hint.SaysCrumb != 0 && a.To > a.From && len(names) < maxCrumbs {
			name := words.Cut(string(o.Text[a.From:a.To]), maxCrumb)
			names = append(names, strings.TrimSpace(strings.ReplaceAll(name, "\n", " ")))
		}
	}
	return names
}

// trail returns a breadcrumb without the home page, the page itself and the entries of a menu next
// to it. Repeated entries count once, since a forum may show its breadcrumb above and below the
// page.
func (s siteNames) trail(names []string, title string) []string {
	var path []string
	named := false
	for _, name := range names {
		low := strings.ToLower(name)
		switch {
		case name == "" || menuNames[low] || sameTitle(name, title):
		case len(path) == 0 && (homeNames[low] || strings.HasSuffix(name, "首页")):
		case len(path) == 0 && !named && s.called(name):
			named = true
		case slices.Contains(path, name):
		default:
			path = append(path, name)
		}
	}
	return path
}

// sameTitle reports whether the name of a crumb is the page's title or the start of it.
func sameTitle(name, title string) bool {
	name = words.Straight(name)
	if start, cut := strings.CutSuffix(strings.TrimSuffix(name, "..."), "…"); cut || len(start) < len(name) {
		return start != "" && strings.HasPrefix(title, strings.TrimSpace(start))
	}
	return strings.EqualFold(name, title)
}

// menuNames are entries of menus that may be next to a breadcrumb.
var menuNames = setOf("login", "log in", "sign in", "sign up", "register", "search", "注册", "登录", "搜索", "注冊", "登錄", "搜尋")

// homeNames are names of a site's first page.
var homeNames = setOf(
	"home", "homepage", "home page", "start", "index", "board index", "startseite", "accueil", "inicio", "início",
	"главная", "首页", "主页", "首頁", "ホーム", "トップ", "홈",
)

// storeNames are names of folders in which a program stores files, whatever they are about.
var storeNames = setOf("wp content", "wp includes", "uploads", "upload", "files", "assets", "static", "public")

// Folders returns the path of a URL without its last segment, and without numbers, dates,
// languages, and folders in which a program stores files.
func Folders(url string) []string {
	_, rest, ok := strings.Cut(url, "//")
	if !ok {
		return nil
	}
	_, path, _ := strings.Cut(rest, "/")
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	path = strings.TrimSuffix(path, "/")
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return nil
	}
	var names []string
	for segment := range strings.SplitSeq(path[:i], "/") {
		name := strings.TrimSpace(hyphens.Replace(segment))
		if len(name) < 3 || len(name) > 40 || strings.ContainsAny(name, "0123456789%.=") || locale(segment) || storeNames[strings.ToLower(name)] || len(names) == maxFolders {
			continue
		}
		names = append(names, name)
	}
	return names
}

var hyphens = strings.NewReplacer("-", " ", "_", " ")

// locale reports whether a folder is named after a language and a country, such as en-us.
func locale(segment string) bool {
	return len(segment) == 5 && (segment[2] == '-' || segment[2] == '_') && markup.Letter(segment[0]) && markup.Letter(segment[1]) && markup.Letter(segment[3]) && markup.Letter(segment[4])
}

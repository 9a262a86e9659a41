// Package paging tells from the URL and the links of a page whether it is one of several pages of a
// list, such as a blog's tag, a board's topics or a shop's products.
package paging

import (
	"bytes"
	"net/url"
	pathpkg "path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
)

// A Page is the URL of a page that may be one of several of a list.
type Page struct {
	url  *url.URL // nil: not an absolute URL
	list string   // the URL of the whole list
	told bool     // the URL has the number of the page
}

// Of returns the Page of a URL. A URL that is not absolute belongs to no list.
func Of(address string) Page {
	u, err := url.Parse(address)
	if err != nil || !u.IsAbs() {
		return Page{}
	}
	list, told := listOf(u)
	return Page{u, list, told}
}

// IsOneOf reports whether a page with these links is one of several of a list, by its own URL or by
// those of its links.
func (p Page) IsOneOf(links []purify.Link) bool {
	return p.told || slices.ContainsFunc(links, func(l purify.Link) bool { return p.Turns(l.URL) || p.numbers(&l) })
}

// Told reports whether the URL alone says that the page is one of several: IsOneOf needs no links then.
func (p Page) Told() bool { return p.told }

// MayTurn reports whether IsOneOf may say something else because of a link, for a page that is not Told.
func MayTurn(url []byte, text string) bool {
	return isPageNumber(text) || bytes.Contains(url, []byte("page"))
}

// numbers reports whether a link is a number and leads to a URL that differs in a number: to
// list_2.html from list.html or list_3.html, to ?start=50 from ?start=25.
func (p Page) numbers(l *purify.Link) bool {
	if p.url == nil || !isPageNumber(l.Text) {
		return false
	}
	u, err := p.url.Parse(l.URL)
	if err != nil || u.Host != p.url.Host {
		return false
	}
	here, there := stemOf(p.url), stemOf(u)
	if here == there {
		return false
	}
	further, longer := strings.CutPrefix(there, here)
	return longer && stepOn().MatchString(further) || digits().ReplaceAllString(here, "0") == digits().ReplaceAllString(there, "0")
}

var (
	stepOn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-_/?&]?[a-z]{0,8}[-_/=]?\d+$`) })
	digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+`) })
)

// isPageNumber reports whether the words of a link are a number from 1 to 9999. It is called for
// each link of each page, so it does not use a regular expression.
func isPageNumber(words string) bool {
	if len(words) == 0 || len(words) > 4 || words[0] == '0' {
		return false
	}
	for i := range len(words) {
		if words[i] < '0' || words[i] > '9' {
			return false
		}
	}
	return true
}

// stemOf returns the path and query of a URL without what programs append to the names of pages.
func stemOf(u *url.URL) string {
	path := strings.TrimSuffix(u.Path, pathpkg.Ext(u.Path))
	path = strings.TrimSuffix(strings.TrimSuffix(path, "index"), "/")
	if u.RawQuery == "" {
		return path
	}
	return path + "?" + u.RawQuery
}

// Turns reports whether a link leads to another page of the same list, or to its first one. The
// link is as the page writes it.
func (p Page) Turns(link string) bool {
	if p.url == nil || !p.told && !strings.Contains(link, "page") {
		return false
	}
	u, err := p.url.Parse(link)
	if err != nil {
		return false
	}
	list, told := listOf(u)
	return (told || p.told) && list == p.list
}

// The ways in which programs number the pages of a list: /tags/iron/page/2/, ?sort=name&page=2.
var (
	pageInPath  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/page[/-]?\d+/?$`) })
	pageInQuery = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|&)paged?=\d+`) })
)

// listOf returns the path and query of a list's first page, and whether the URL is that of a later
// one.
func listOf(u *url.URL) (list string, told bool) {
	path, query := weburl.WithoutIndex(u.Path), u.RawQuery
	list = path
	if strings.Contains(path, "/page") { // for most pages no regular expression is run
		list = pageInPath().ReplaceAllString(path, "")
	}
	list = strings.TrimSuffix(list, "/")
	if strings.Contains(query, "page") {
		query = pageInQuery().ReplaceAllString(query, "")
	}
	query = strings.TrimPrefix(query, "&")
	return list + "?" + query, list != strings.TrimSuffix(path, "/") || query != u.RawQuery
}

package dedup

import (
	"net/url"
	"regexp"
	"strings"
)

// A paged is the URL of a page that may be one of several of a list.
type paged struct {
	url  *url.URL // nil: not known
	list string   // the URL of the whole list
	told bool     // the URL says which of them it is
}

func newPaged(address string) paged {
	u, err := url.Parse(address)
	if err != nil || !u.IsAbs() {
		return paged{}
	}
	list, told := listOf(u)
	return paged{u, list, told}
}

// turns reports whether a link leads to another page of the same list, or to its first. The
// link is as the page writes it.
func (p paged) turns(link string) bool {
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

// pageNumber is how the programs that write lists number their pages: /tags/iron/page/2/,
// ?paged=2.
var pageNumber = regexp.MustCompile(`/page[/-]?\d+/?$|^paged?=\d+$`)

// listOf returns the path and query of a list's first page, and whether a URL is that of another.
func listOf(u *url.URL) (list string, told bool) {
	path := strings.TrimSuffix(u.Path, "index.html")
	list = strings.TrimSuffix(pageNumber.ReplaceAllString(path, ""), "/")
	told = list != strings.TrimSuffix(path, "/")
	if !pageNumber.MatchString(u.RawQuery) {
		return list + "?" + u.RawQuery, told
	}
	return list + "?", true
}

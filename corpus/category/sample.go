package category

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/cespare/xxhash/v2"
)

// A Sample collects examples from any number of pages: for each category the pages whose URLs
// have the smallest hashes, at most 400, and at most 6,000 in all. The zero value is empty.
type Sample struct {
	by    map[string][]Example
	Pages int            // that were added
	Count map[string]int // of these, by category
	hosts map[string]map[string]struct{}
}

// maxNames bounds the categories of a sample, and the hosts counted for one category. Where
// there are more, they are names of single pages.
const maxNames = 2000

// Add adds a page of a category.
func (s *Sample) Add(host, url, category, title, body string) {
	if s.by == nil {
		s.by, s.Count, s.hosts = make(map[string][]Example), make(map[string]int), make(map[string]map[string]struct{})
	}
	s.Pages++
	if _, ok := s.by[category]; !ok && len(s.by) == maxNames {
		return
	}
	s.Count[category]++
	if s.hosts[category] == nil {
		s.hosts[category] = make(map[string]struct{})
	}
	if len(s.hosts[category]) < maxNames {
		s.hosts[category][host] = struct{}{}
	}
	list, order := s.by[category], xxhash.Sum64String(url)
	if len(list) == maxOfOne && order >= list[maxOfOne-1].order {
		return
	}
	words := counted(title, body)
	if len(words) < leastKnown {
		return
	}
	e := Example{Host: host, Category: category, words: words, order: order}
	at, _ := slices.BinarySearchFunc(list, order, func(e Example, order uint64) int { return cmp.Compare(e.order, order) })
	list = slices.Insert(list, at, e)
	s.by[category] = list[:min(len(list), maxOfOne)]
}

// Hosts is how many hosts have pages of a category.
func (s *Sample) Hosts(category string) int { return len(s.hosts[category]) }

// Examples returns the sample, in an order that does not depend on that of the pages.
func (s *Sample) Examples() []Example {
	var list []Example
	for _, some := range s.by {
		list = append(list, some...)
	}
	names := namesOf(list, leastExamples)
	list = slices.DeleteFunc(list, func(e Example) bool {
		_, ok := slices.BinarySearch(names, e.Category)
		return !ok
	})
	slices.SortFunc(list, func(a, b Example) int {
		return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.Category, b.Category), cmp.Compare(a.Host, b.Host))
	})
	return list[:min(len(list), maxExamples)]
}

// Named returns the category of a declared path: its first names in lower case, without those
// that name a kind of page and not a subject. "" if nothing is left.
func Named(path []string, names int) string {
	var parts []string
	for _, p := range path {
		p = strings.ToLower(strings.Join(strings.Fields(p), " "))
		if p != "" && !noSubject[p] && strings.ContainsFunc(p, unicode.IsLetter) && len(parts) < names {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " / ")
}

// noSubject are names of breadcrumbs, sections and folders that every site may have.
var noSubject = map[string]bool{
	"blog": true, "blogs": true, "post": true, "posts": true, "article": true, "articles": true, "archive": true, "archives": true,
	"category": true, "categories": true, "tag": true, "tags": true, "topic": true, "topics": true, "section": true, "page": true, "pages": true,
	"news": true, "story": true, "stories": true, "uncategorized": true, "uncategorised": true, "general": true, "index": true, "home": true,
	"all": true, "latest": true, "featured": true, "html": true, "static": true, "content": true, "wp content": true, "media": true,
	"博客": true, "文章": true, "新闻": true, "分类": true, "标签": true, "归档": true, "未分类": true, "正文": true, "首页": true,
}

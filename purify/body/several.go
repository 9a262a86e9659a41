package body

import (
	"cmp"
	"strings"
	"sync"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
	"gatecrawl.example/gatecrawl/purify/words"
)

// The forest takes a list that shows whole posts, or long excerpts of them, for an article, since it is prose below
// headings. What tells such a list is that its headings lead to other pages of the site.

// A post is the headline of one in a list, and the bytes of prose below it.
type post struct{ headline, prose int }

// listed are the posts that a page shows, by the rank of their headlines; the last are those whose headlines are
// not headings, but are in an element that is named as a title.
type listed [ranks + 1][]post

// notPosts has the hints of places whose headings are not those of a list of posts.
const notPosts = hint.InNav | hint.InFooter | hint.InAside | hint.InDialog | hint.SaysRelated | hint.SaysComment | hint.SaysMenu | hint.SaysFooter | hint.SaysPopup | hint.SaysPager

// listsPosts reports whether a page is a list of posts that it shows in part or whole: two or more, or one if the page's
// URL is that of a list. Most of its prose is below headlines that lead to other pages of the site, and
// hardly any between the page's own headline and the first of them, as that of a post would be with
// others that are related to it.
func (ch *Chooser) listsPosts(m *metadata.Declared, kind, url string, kept []bool) bool {
	url = cmp.Or(url, m.Canonical, m.OGURL)
	list := isListsURL(url)
	if !list && (m.Date != "" || isPostOfBlog(url)) {
		return false
	}
	title := words.Set(m.Title)
	posts, own := ch.postsOf(m, title, url)
	all := 0
	for i := range ch.Blocks {
		if ch.Blocks[i].Hints&(hint.InFooter|hint.SaysFooter|hint.InDialog|hint.SaysPopup) == 0 {
			all += proseOf(&ch.Blocks[i])
		}
	}
	best, told := 0, 0
	for r := range posts {
		if r == ranks && kind == "forum" {
			break // each answer may have the name of who wrote it there
		}
		if n := ch.measure(posts[r]); n > told {
			best, told = r, n
		}
	}
	if told == 0 {
		own := func(i int) bool { return ch.Blocks[i].Hints&(notPosts|hint.SaysSide) == 0 }
		return list && (ch.isIndex(func(i int) bool { return kept[i] }) || ch.isIndex(own))
	}
	shown, named, above := 0, 0, 0
	for _, p := range posts[best] {
		if p.prose > 0 {
			shown++
			if ch.isNamed(p.headline, title) {
				named++
			}
		}
	}
	for i := own; i >= 0 && i < posts[best][0].headline; i++ {
		if ch.Blocks[i].Hints&notPosts == 0 {
			above += proseOf(&ch.Blocks[i])
		}
	}
	if list {
		return 3*told >= all && 2*above <= told
	}
	return shown > 1 && named < shown && 3*told >= 2*all && 8*above <= told
}

// proseOf returns the bytes of a block of prose outside links, 0 for other blocks.
func proseOf(b *blocks.Block) int {
	if !b.IsProse() {
		return 0
	}
	return b.Size() - int(b.Linked)
}

// postsOf returns the headlines of a page that lead to other pages of its site, and the first heading that does not and
// is in the page's title, -1 if there is none.
func (ch *Chooser) postsOf(m *metadata.Declared, title words.WordSet, url string) (posts listed, own int) {
	path, host, canonical := pathOf(url), hostOf(url), hostOf(m.Canonical)
	common := sync.OnceValue(ch.commonHost)
	own = -1
	next := 0
	for i := range ch.Blocks {
		b := &ch.Blocks[i]
		node := &ch.Nodes[b.Node]
		heads := b.Tag.Heading()
		if !heads && node.Own&hint.SaysTitle == 0 || b.Hints&notPosts != 0 || b.Hints&(hint.SaysSide|hint.InMain|hint.InArticle) == hint.SaysSide {
			continue
		}
		if 5*int(b.Linked) < 4*b.Size() {
			if own < 0 && heads && ch.isNamed(i, title) {
				own = i
			}
			continue
		}
		for next < len(ch.Links) && int(ch.Links[next].Block) < i {
			next++
		}
		if next == len(ch.Links) || int(ch.Links[next].Block) > i {
			continue
		}
		link := string(ch.Links[next].URL)
		at, to := hostOf(link), pathOf(link)
		switch {
		case to == "" || at != "" && at != host && at != canonical && at != common():
		case to == path || to[0] != '/' && strings.TrimLeft(to, "./") == path[strings.LastIndexByte(path, '/')+1:]:
			if own < 0 && heads && ch.isNamed(i, title) {
				own = i
			}
		case b.Hints&hint.SaysReply != 0 || (node.Own|ch.Nodes[node.Parent].Own)&hint.SaysBio != 0: // who wrote an answer
		case heads:
			rank := b.Tag - markup.TagH1
			posts[rank] = append(posts[rank], post{headline: i})
		default:
			posts[ranks] = append(posts[ranks], post{headline: i})
		}
	}
	return posts, own
}

// isNamed reports whether half of the words of a heading are in the page's title.
func (ch *Chooser) isNamed(block int, title words.WordSet) bool {
	own := words.Set(string(ch.BlockText(block)))
	return own.Len() > 0 && 2*words.Common(own, title) >= own.Len()
}

// measure sets the prose of posts, and returns the sum. The last one ends with the element that has all headlines.
func (ch *Chooser) measure(posts []post) int {
	if len(posts) == 0 {
		return 0
	}
	place := ch.Blocks[posts[0].headline].Node
	for _, p := range posts {
		place = ch.Around(place, ch.Blocks[p.headline].Node)
	}
	sum := 0
	for k := range posts {
		p, end := &posts[k], len(ch.Blocks)
		if k+1 < len(posts) {
			end = posts[k+1].headline
		}
		for i := p.headline + 1; i < end; i++ {
			b := &ch.Blocks[i]
			if len(posts) > 1 && !ch.IsIn(b.Node, place) {
				break
			}
			if b.Hints&notPosts == 0 {
				p.prose += proseOf(b)
			}
		}
		sum += p.prose
	}
	return sum
}

// isIndex reports whether half of the text of some blocks is links, and three blocks or more are.
func (ch *Chooser) isIndex(has func(block int) bool) bool {
	all, linked, links := 0, 0, 0
	for i := range ch.Blocks {
		b := &ch.Blocks[i]
		if !has(i) {
			continue
		}
		all += b.Size()
		linked += int(b.Linked)
		if b.MostlyLinks() {
			links++
		}
	}
	return links > 2 && 2*linked >= all
}

// commonHost returns the host of most absolute links of a page: a copy of a site on another host may still lead to
// the old one.
func (ch *Chooser) commonHost() string {
	count, best := map[string]int{}, ""
	for i := range ch.Links {
		host := hostOf(string(ch.Links[i].URL))
		if host == "" {
			continue
		}
		if count[host]++; count[host] > count[best] {
			best = host
		}
	}
	return best
}

// hostOf returns the host of an absolute URL without www.
func hostOf(url string) string { return strings.TrimPrefix(metadata.Host(url), "www.") }

// isListsURL reports whether a URL is that of the list of a year, month or day, of a tag, category or author, or of a further
// page of a list, as most blogs write them.
func isListsURL(url string) bool {
	parts := strings.Split(strings.Trim(pathOf(strings.ToLower(url)), "/"), "/")
	last := len(parts) - 1
	if last > 0 && strings.HasPrefix(parts[last], "index.") {
		parts = parts[:last]
		last--
	}
	parts[last] = strings.TrimSuffix(strings.TrimSuffix(parts[last], ".html"), ".htm")
	number, paged := strings.CutPrefix(parts[last], "page")
	found, year := paged && isNumber(strings.TrimLeft(number, "-_")), -1
	for i, part := range parts {
		switch {
		case groupFolders[part]:
			found = found || i < last
		case part == "page":
			found = found || i+1 == last && isNumber(parts[last])
		case metadata.IsYear(part):
			year = i
		}
	}
	if year < 0 {
		return found
	}
	for _, part := range parts[year+1:] {
		if part == "page" && found {
			break
		}
		if !isNumber(part) || len(part) > 2 {
			return false
		}
	}
	return year == 0 || strings.Count(parts[year-1], "-") < 2 // else it is the day of what is named before it
}

// groupFolders are the folders that have a list for each group of posts. A folder named archive is none: whole boards, manuals and blogs are kept in such.
var groupFolders = map[string]bool{
	"tag": true, "tags": true, "category": true, "categories": true, "author": true, "authors": true,
	"label": true, "labels": true,
}

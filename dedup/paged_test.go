package dedup

import (
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

func TestAListsOtherPagesAreKnownByTheirURLs(t *testing.T) {
	for _, c := range []struct {
		page, link string
		want       bool
	}{
		{"http://site.example/tags/iron/page/2/", "/tags/iron/", true},
		{"http://site.example/tags/iron/page/2/", "../3/", true},
		{"http://site.example/tags/iron/page/2/index.html", "/tags/iron/page/3/index.html", true},
		{"http://site.example/tags/iron/", "/tags/iron/page/2/", true},
		{"http://site.example/tags/iron", "http://site.example/tags/iron?page=2", true},
		{"http://site.example/?paged=3", "/?paged=4", true},
		{"http://site.example/tags/iron/page/2/", "/tags/wood/", false},
		{"http://site.example/tags/iron/page/2/", "/tags/wood/page/2/", false},
		{"http://site.example/tags/iron/", "/posts/a-page-of-iron/", false},
		{"http://site.example/tags/iron/", "/tags/iron/", false},
		{"http://site.example/list?tag=iron", "/list?tag=wood&page=2", false},
		{"/file.html", "page/2/", false},
	} {
		if got := newPaged(c.page).turns(c.link); got != c.want {
			t.Errorf("on %s %s turns a page: %v, want %v", c.page, c.link, got, c.want)
		}
	}
}

func TestTheWayToTheNextPageIsNothingThatAListLists(t *testing.T) {
	list := func(url string, links ...string) Text {
		view := &purify.DocView{URL: url, Title: "Tag: iron", Template: 1, Layout: 1, Blocks: []purify.Block{{Text: "How the gate was mended", Linked: true, Chosen: true}}}
		for i, link := range links {
			view.Links = append(view.Links, purify.Link{URL: link, Body: true})
			view.Targets = append(view.Targets, uint32(i+1))
		}
		return TextOf(view)
	}
	month := list("http://site.example/2011/05/", "/posts/gate/")
	for _, c := range []struct {
		what string
		tag  Text
		want bool
	}{
		{"its second page", list("http://site.example/tags/iron/page/2/", "/posts/gate/", "/tags/iron/"), true},
		{"its first page", list("http://site.example/tags/iron/", "/posts/gate/", "/tags/iron/page/2/"), true},
		{"a list of two posts", list("http://site.example/tags/iron/", "/posts/gate/", "/posts/ladder/"), false},
	} {
		if got := month.Links == c.tag.Links && slices.Equal(month.Lists, c.tag.Lists); got != c.want || month.Links == 0 {
			t.Errorf("%s lists what a month with the same post does: %v, want %v", c.what, got, c.want)
		}
	}
}

package paging

import (
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
		if got := Of(c.page).Turns(c.link); got != c.want {
			t.Errorf("on %s %s turns a page: %v, want %v", c.page, c.link, got, c.want)
		}
	}
}

func TestAPageOfAListIsKnownByItsURLAndByItsLinks(t *testing.T) {
	for _, c := range []struct {
		page, link, words string
		want              bool
	}{
		{"http://shop.example/pots?sort=name&page=3", "/", "Home", true},
		{"http://shop.example/pots/", "/pots/?page=2", "Next", true},
		{"http://shop.example/pots.html", "pots_2.html", "2", true},
		{"http://shop.example/pots_3.html", "pots_2.html", "2", true},
		{"http://shop.example/pots/", "/pots/p2/", "2", true},
		{"http://board.example/viewforum.php?f=3", "viewforum.php?f=3&start=25", "2", true},
		{"http://board.example/viewforum.php?f=3", "viewforum.php?f=4&start=25", "2", false},
		{"http://shop.example/pots.html", "pots_2.html", "Round pots", false},
		{"http://shop.example/pots.html", "#note-2", "2", false},
		{"http://shop.example/pots.html", "pans_2.html", "2", false},
		{"http://shop.example/pots.html", "http://other.example/pots_2.html", "2", false},
		{"http://shop.example/pots?page_id=3", "/", "Home", false},
	} {
		if got := Of(c.page).IsOneOf([]purify.Link{{URL: c.link, Text: c.words}}); got != c.want {
			t.Errorf("%s with a link %q to %s is one of several of a list: %v, want %v", c.page, c.words, c.link, got, c.want)
		}
	}
}

package linkrot_test

import (
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/mirror/linkrot"
)

func TestNeighboursInAListOfManyPages(t *testing.T) {
	for _, c := range []struct {
		url  string
		want []string
	}{
		{"http://a.test/tag/x/page/2/", []string{"http://a.test/tag/x/page/3/", "http://a.test/tag/x/page/1/", "http://a.test/tag/x/page/4/"}},
		{"http://a.test/list?page=1", []string{"http://a.test/list?page=2", "http://a.test/list?page=3"}},
		{"http://a.test/news/page-7.html", []string{"http://a.test/news/page-8.html", "http://a.test/news/page-6.html", "http://a.test/news/page-9.html"}},
		{"http://a.test/story-7.html", nil},
		{"http://a.test/2019/05/", nil},
	} {
		if got := linkrot.Paged(c.url); !slices.Equal(got, c.want) {
			t.Errorf("Paged(%s) = %v, want %v", c.url, got, c.want)
		}
	}
}

// A body of a few words may be nothing but the frame of its site.
func TestABriefBodySaysNothingWithoutItsTitle(t *testing.T) {
	print := linkrot.BodyPrint{SimHash: 7, Tokens: 30, Title: "Tag: cats"}
	other := print
	other.Title = "Tag: dogs"
	if print.Survives(other, linkrot.SureLead) {
		t.Error("a page of 30 words survives as one of another title")
	}
	if !print.Survives(print, linkrot.SureLead) {
		t.Error("a page of 30 words does not survive as itself")
	}
}

// On a mirror in another layout the name of the site is at another place of the title.
func TestACopyWithAllOfABriefBodyIsThePage(t *testing.T) {
	lost := linkrot.BodyPrint{SimHash: 7, Tokens: 30, Title: "The single line synopsis | Papers"}
	there := lost
	there.Title = "Papers: The single line synopsis"
	if !lost.Survives(there, linkrot.CopyLead) {
		t.Error("a copy of 30 words, all of them the same, is not taken")
	}
	there.SimHash = 6
	if lost.Survives(there, linkrot.CopyLead) {
		t.Error("30 words of which some are others are taken")
	}
}

// Pages that say a few words often are near by their SimHashes, whatever else they say.
func TestEqualTitlesAndNearSimHashesAreNotEnough(t *testing.T) {
	lost := linkrot.BodyPrint{SimHash: 7, Tokens: 300, Title: "Commands"}
	there := lost
	for i := range there.Sketch {
		there.Sketch[i] = 0x0f // half of the bits
	}
	if there.SimHash = 0x70; lost.Survives(there, linkrot.CopyLead) {
		t.Error("a page with a near SimHash, the same title and nothing else in common is taken")
	}
	for i := range there.Sketch[:4] {
		there.Sketch[i] = 0
	}
	if !lost.Survives(there, linkrot.NoLead) {
		t.Error("an edited page is not taken")
	}
}

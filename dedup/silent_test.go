package dedup

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// TestTextsThatSayNothingOfTheirTitlesAreNotCopies has posts of pictures and films below which
// stands who made them: on one host the two are not one page, unless a title is common or the text
// is about it. On another host the same text is a copy.
func TestTextsThatSayNothingOfTheirTitlesAreNotCopies(t *testing.T) {
	maker := text(rand.New(rand.NewPCG(24, 11)), 120)
	page := func(url, title, own string) *purify.DocView {
		v := &purify.DocView{URL: url, Title: title, Template: 1, Layout: 1}
		for i, s := range []string{own, maker} {
			if s != "" {
				v.Blocks = append(v.Blocks, purify.Block{Text: s, Print: purify.PrintOf(s), Prose: i == 1, Chosen: true})
			}
		}
		v.Body = maker
		return v
	}
	kept := page("http://films.example/lift", "Descending the Bradbury elevator", "")
	for name, c := range map[string]struct {
		other *purify.DocView
		copy  bool
	}{
		"another film":                  {page("http://films.example/bridge", "Crossing Sixth Street bridge", ""), false},
		"another film and what it says": {page("http://films.example/bridge", "Crossing Sixth Street bridge", "Crossing by car"), false},
		"the film under a longer title": {page("http://films.example/lift2", "Descending the old Bradbury elevator slowly", ""), true},
		"another host":                  {page("http://mirror.example/lift", "Going down with an engine", ""), true},
	} {
		g, l := readingGate(t)
		claimView(t, g, l, 1, kept)
		if got := claimView(t, g, l, 2, c.other); got.Copy() != c.copy {
			t.Errorf("%s: %v, want a copy: %v", name, got, c.copy)
		}
	}
}

// claimView claims a page that was read with these templates, and keeps its text for the next ones.
func claimView(t *testing.T, g *Gate, l *library, doc DocID, view *purify.DocView, templates ...*purify.Template) Verdict {
	t.Helper()
	text := TextOf(view, templates...)
	sig := SignPage(DigestOf(fmt.Appendf(nil, "bytes %d", doc)), view, &text)
	got, err := g.Claim(doc, sig, &text)
	if err != nil {
		t.Fatal(err)
	}
	l.put(doc, sig)
	l.texts[doc] = text
	return got
}

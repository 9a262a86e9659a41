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
		for i, v := range []*purify.DocView{kept, c.other} {
			text := TextOf(v)
			sig := SignPage(DigestOf(fmt.Appendf(nil, "bytes %d", i)), v, &text)
			got, err := g.Claim(DocID(i+1), sig, &text)
			if err != nil {
				t.Fatal(err)
			}
			l.put(DocID(i+1), sig)
			l.texts[DocID(i+1)] = text
			if i == 1 && got.Copy() != c.copy {
				t.Errorf("%s: %v, want a copy: %v", name, got, c.copy)
			}
		}
	}
}

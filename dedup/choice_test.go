package dedup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// Of the pages of a site, a text that has its choice still is the one that is made with another template.
func TestATextThatHasItsChoiceIsTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 1))
	page := func(i int) *purify.DocView {
		var b strings.Builder
		fmt.Fprintf(&b, "<html><head><title>Kite %d</title></head><body><div class=top><a href=/>The kite club</a></div><ul class=menu>", i)
		for j := range 12 {
			if i%2 == 0 || j < 6 {
				fmt.Fprintf(&b, "<li><a href=/m%d/>Members of the %d. class</a></li>", j, j)
			}
		}
		fmt.Fprintf(&b, "</ul><article><h1>Kite %d</h1>", i)
		for j := range random.IntN(5) {
			fmt.Fprintf(&b, "<p>%s</p>", strings.Repeat(fmt.Sprintf("w%dx%d ", i, j), 30))
		}
		b.WriteString("</article><ul>")
		for range random.IntN(20) {
			n := random.IntN(9)
			fmt.Fprintf(&b, "<li><a href=/k%d/>A kite with a tail of %d metres</a></li>", n, n)
		}
		b.WriteString("</ul>")
		for j := range 6 {
			if random.IntN(7) <= j {
				fmt.Fprintf(&b, "<p>Line %d of the club, whose members meet at the old pier on Sundays, whatever the wind says.</p>", j)
			}
		}
		b.WriteString("</body></html>")
		v := purify.Purify([]byte(b.String()), "text/html")
		v.URL = fmt.Sprintf("http://kites.example/k%d/", i)
		return v
	}
	var site purify.Site
	sites := []*purify.Template{nil}
	for i := range 120 {
		if made := site.Learn(page(i).Names()); made != nil {
			sites = append(sites, made)
		}
	}
	var same, others, wary, thin int
	for i := range 40 {
		view := page(200 + i)
		for _, was := range sites {
			text := TextOf(view, was)
			choice := text.AppendChoice(nil)
			for _, now := range sites {
				again := TextOf(view, now)
				is := again.Body == text.Body && again.Thin == text.Thin && again.plain == text.plain
				switch has := HasChoice(choice, now); {
				case has && !is:
					t.Errorf("page %d, templates %d and %d: the text is another one and has its choice", i, was.Generation(), now.Generation())
				case has && was != now:
					if same++; text.Thin {
						thin++
					}
				case !has && is && was == now:
					t.Errorf("page %d, template %d: the text has not its choice", i, was.Generation())
				case !has && is:
					wary++
				case !has:
					others++
				}
			}
		}
	}
	t.Logf("of texts with two templates %d are the same, %d of them with links; %d are others, %d others by their blocks alone", same, thin, others, wary)
	if same < 100 || thin < 10 || others < 100 || wary > same/4 {
		t.Error("that tells too little")
	}
}

// A text of a feed, or of a document without blocks, is the same with all templates, and one that came from another
// process has no choice.
func TestTextsWithoutAChoice(t *testing.T) {
	plain := Text{Body: "one two three"}
	if choice := plain.AppendChoice(nil); !HasChoice(choice, nil) {
		t.Error("a text without blocks is another one without a template")
	}
	paths, texts := formPages(t)
	at := slices.IndexFunc(paths, func(path string) bool { return !texts[path].Bare })
	b, err := texts[paths[at]].AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var read Text
	if err := read.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if choice := read.AppendChoice(nil); choice != nil {
		t.Errorf("a text that was read has the choice %x", choice)
	}
}

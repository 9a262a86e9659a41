package dedup

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/index"
	"gatecrawl.example/gatecrawl/dedup/internal/sketch"
)

// What stands around the same body, such as comments, is signed with it. Near .8 the
// signatures of two long pages often have nothing in common that would bring them
// together; their titles do.
func TestLongPagesOfOneTitleAreFoundHoweverTheirSignaturesDiffer(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 4))
	g, l := readingGate(t)
	const pages = 200
	resembling, found := 0, 0
	for i := range pages {
		words := strings.Fields(text(r, 500))
		a := Text{Title: fmt.Sprintf("Story %d", i), Body: strings.Join(words, " ")}
		for range 15 {
			words[r.IntN(len(words))] = fmt.Sprintf("edited%d", r.IntN(1e6))
		}
		b := Text{Title: a.Title, Body: strings.Join(words, " ")}
		claimText(t, g, l, index.DocID(2*i+1), a)
		v := claimText(t, g, l, index.DocID(2*i+2), b)
		if read(&a).resemblance(read(&b)) >= g.o.Resemblance {
			resembling++
			if v.Of == Ref(2*i+1) {
				found++
			}
		}
	}
	if resembling < pages/2 || found < resembling {
		t.Errorf("%d of %d pages that resemble another by %.1f are found, want all, and %d at least", found, resembling, g.o.Resemblance, pages/2)
	}
}

// A title brings two short pages with the same numbers together, and two long ones that may resemble each other.
func TestATitleBringsPagesTogether(t *testing.T) {
	page := func(tokens uint32, title, numbers uint32) outline {
		return outline{tokens: tokens, facts: Facts{Title: title, Numbers: numbers}}
	}
	for _, c := range []struct {
		what  string
		a, b  outline
		equal int
		want  bool
	}{
		{"other numbers", page(90, 1, 5), page(90, 1, 6), doubtfulFrom, false},
		{"the same numbers", page(90, 1, 5), page(20, 1, 5), 50, true},
		{"no numbers", page(90, 1, 0), page(20, 1, 0), 50, true},
		{"another title", page(90, 1, 5), page(90, 2, 5), doubtfulFrom, false},
		{"no title", page(90, 0, 5), page(90, 0, 5), doubtfulFrom, false},
		{"a long page", page(90, 1, 5), page(mostNamed, 1, 5), doubtfulFrom - 1, false},
		{"a long page that resembles the other", page(90, 1, 5), page(mostNamed, 1, 6), doubtfulFrom, true},
	} {
		if got := c.a.named(c.b, c.equal); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// Of the short pages of one title with other numbers those are read whose sketches agree most, whatever their number.
func TestFewNamesakesAreReadForAPage(t *testing.T) {
	g, l := readingGate(t)
	page := func(seed uint64, number int) Text {
		return Text{Title: "Contact", Body: text(rand.New(rand.NewPCG(seed, 81)), 60) + fmt.Sprintf(" call %d", number)}
	}
	const kept = 40
	for i := range kept {
		claimText(t, g, l, index.DocID(i+1), page(uint64(i), 1000+i))
	}
	asked := page(99, 2000)
	q := query{sig: asked.Sign(), text: &asked, reads: maxReads}
	q.outline = outlineOf(q.sig)
	found := g.candidates(&q, new(lookup))
	if len(found) != mostNamesakes {
		t.Errorf("%d of %d pages with the title are read, want %d", len(found), kept, mostNamesakes)
	}
	most := 0
	for i := range kept {
		if equal := sketch.Agree(q.outline.sketch, g.outline(index.DocID(i+1)).sketch); equal > most {
			most = equal
		}
	}
	if len(found) == 0 || found[0].equal != most {
		t.Errorf("read are %+v, want the likeliest first, with %d equal values", found, most)
	}
}

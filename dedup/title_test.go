package dedup

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/index"
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

// A title brings two short pages together unless all else speaks against it: a crawl of many sites has thousands with
// the title "Contact", and would read sixteen of them for each new one.
func TestATitleAloneBringsShortPagesTogetherUnlessAllElseSpeaksAgainstIt(t *testing.T) {
	page := func(tokens uint32, title, numbers uint32) outline {
		return outline{tokens: tokens, facts: Facts{Title: title, Numbers: numbers}}
	}
	for _, c := range []struct {
		what  string
		a, b  outline
		equal int
		want  bool
	}{
		{"other numbers, sketches that agree by chance", page(90, 1, 5), page(90, 1, 6), byChance, false},
		{"other numbers, sketches that agree a little", page(90, 1, 5), page(90, 1, 6), byChance + 1, true},
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

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

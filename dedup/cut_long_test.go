package dedup

import (
	"fmt"
	"strings"
	"testing"
)

// Of a page of a megabyte a view has its body and 64 kB of the rest. One that says much more than another
// is no copy of it for that part.
func TestAPartOfAVeryLongPageMakesNoCopy(t *testing.T) {
	words := func(from, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "w%dx ", (from+i)*7919%100_003)
			if i%40 == 39 {
				b.WriteString("as they wrote.</p>\n<p>")
			}
		}
		return b.String()
	}
	page := func(from, rest int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "<html lang=en><head><title>The log of a traveller</title></head><body><article><h1>The log of a traveller</h1><p>%s</p></article>", words(from, 30_000))
		for i := range rest {
			fmt.Fprintf(&b, "<div class=aside><ul><li>%s</li></ul></div>\n", strings.ReplaceAll(words(60_000+i*400, 400), "</p>\n<p>", ""))
		}
		return b.String() + "</body></html>"
	}
	paths := []string{"page/40.html", "page/118.html"}
	texts := siteAmong(t, 30, map[string]string{paths[0]: page(0, 80), paths[1]: page(2_400, 2)}, paths)
	a, b := texts[paths[0]], texts[paths[1]]
	if j := a.reading().chosen().reading().resemblance(b.reading().chosen().reading()); j < ruling().Resemblance {
		t.Fatalf("the bodies resemble each other by %.2f, want %.2f", j, ruling().Resemblance)
	}
	if j, same := one(a, b); same {
		t.Errorf("the pages are one, resemblance %.2f", j)
	}
}

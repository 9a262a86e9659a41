package dedup

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The services of a firm have what customers wrote about it below their own texts, which is many times
// longer, and some of them have URLs that name nothing. The same service under two URLs is one page.
func TestAServiceBelowWhatCustomersWriteIsAPageOfItsOwn(t *testing.T) {
	says := func(seed uint64, words int) string {
		r := rand.New(rand.NewPCG(seed, 7))
		var b strings.Builder
		for i := range words {
			fmt.Fprintf(&b, "w%c%c%c ", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26))
			if i%12 == 11 {
				b.WriteString("as they said there. ")
			}
		}
		return b.String()
	}
	var reviews strings.Builder
	for i := range 30 {
		fmt.Fprintf(&reviews, "<div class=review><p>%s</p></div>\n", says(uint64(100+i), 120))
	}
	service := func(title string, seed uint64) string {
		return fmt.Sprintf("<html lang=en><head><title>%s</title></head><body><article><h1>%[1]s</h1><p>%s</p></article><section>%s</section></body></html>",
			title, says(seed, 250), reviews.String())
	}
	texts := siteAmong(t, 30, map[string]string{
		"p4448.html":           service("Care of wounded dogs", 1),
		"teeth-of-cats.html":   service("Cleaning the teeth of cats", 2),
		"cleaning/teeth.html":  service("Cleaning the teeth of cats", 2),
		"care-of-wounded.html": strings.Replace(service("Care of wounded dogs", 1), "</h1>", "</h1><p>Call us today.</p>", 1),
	}, []string{"p4448.html", "teeth-of-cats.html", "cleaning/teeth.html", "care-of-wounded.html"})
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"p4448.html", "teeth-of-cats.html", false},
		{"teeth-of-cats.html", "cleaning/teeth.html", true},
		{"p4448.html", "care-of-wounded.html", true},
	} {
		if j, same := one(texts[c.a], texts[c.b]); same != c.same || j < DefaultOptions().Resemblance {
			t.Errorf("%s and %s: one %v, resemblance %.2f; want %v", c.a, c.b, same, j, c.same)
		}
	}
}

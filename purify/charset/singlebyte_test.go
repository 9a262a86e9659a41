package charset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"gatecrawl.example/gatecrawl/purify/truth"
)

// TestCountHighLetters prints the table highLetters as it follows from the catalogs of
// messages in a folder: GATECRAWL_LOCALES=/usr/share/locale go test ./purify/charset -run HighLetters -v
func TestCountHighLetters(t *testing.T) {
	folder := os.Getenv("GATECRAWL_LOCALES")
	if folder == "" {
		t.Skip("counts the letters of many languages; set GATECRAWL_LOCALES to a folder of catalogs")
	}
	messages := make(map[string]string) // by language
	var b strings.Builder
	for _, l := range highLetters {
		if _, ok := messages[l.language]; !ok {
			messages[l.language] = catalogs(t, folder, l.language)
		}
		fmt.Fprintf(&b, "\t{%q, %q, %q},\n", l.charset, l.language, oddsOf(t, l.charset, messages[l.language]))
	}
	t.Logf("\n%s", b.String())
}

// oddsOf counts the high bytes of a text in a charset.
func oddsOf(t *testing.T, charset, text string) string {
	enc, err := htmlindex.Get(charset)
	if err != nil {
		t.Fatal(err)
	}
	const unseen = .1
	count, all := [128]float64{}, 128*unseen
	e := enc.NewEncoder()
	for _, r := range text {
		if r < 128 {
			continue
		}
		if coded, err := e.Bytes([]byte(string(r))); err == nil {
			count[coded[0]-128]++
			all++
		}
	}
	var odds []byte
	for _, n := range count {
		odds = append(odds, 'a'+byte(min(25, math.Round(-2*math.Log((n+unseen)/all)))))
	}
	return string(odds)
}

func catalogs(t *testing.T, folder, language string) string {
	t.Helper()
	text, err := truth.Messages(folder, language)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestMostlyUTF8CountsAllCharacters(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for range 2000 {
		var page []byte
		broken := r.IntN(60)
		for range r.IntN(300) {
			switch {
			case r.IntN(1000) < broken:
				page = append(page, 0xe4)
			case r.IntN(2) == 0:
				page = append(page, "ä"...)
			default:
				page = append(page, 'a')
			}
		}
		good, bad := 0, 0
		for rest := page; len(rest) > 0; {
			c, n := utf8.DecodeRune(rest)
			switch {
			case c == utf8.RuneError && n == 1:
				bad++
			case n > 1:
				good++
			}
			rest = rest[n:]
		}
		if got, want := mostlyUTF8(page), bad == 0 || good > 20*bad; got != want {
			t.Fatalf("mostlyUTF8 of %d characters that are right and %d that are not: %v, want %v", good, bad, got, want)
		}
	}
}

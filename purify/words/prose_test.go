package words

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Words of ASCII are read a byte at a time, and are the same as by their characters.
func TestWordsOfASCIIAreReadAsOthersAre(t *testing.T) {
	plainly := func(s string) bool {
		for i, r := range s {
			if i > 0 && unicode.IsUpper(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune("'’-‐·\u00ad\u200c\u200d", r) {
				return false
			}
		}
		return s != ""
	}
	r := rand.New(rand.NewPCG(56, 2))
	for range 50_000 {
		var b strings.Builder
		for range r.IntN(7) {
			b.WriteString([]string{"a", "z", "A", "Z", "'", "-", "’", "é", "É", ".", "(", "«", "|", "_", "@", "[", "`", "{", "7", "漢"}[r.IntN(20)])
		}
		s := b.String()
		if got, want := trimmed(s), strings.Trim(s, aroundWords); got != want {
			t.Fatalf("trimmed(%q) = %q, want %q", s, got, want)
		}
		if got := isWord(s); got != plainly(s) {
			t.Fatalf("isWord(%q) = %v", s, got)
		}
	}
}

// Under en a text is read as far as is needed, with the same result as if all its sentences were read.
func TestSentencesUnderEnAreReadAsFarAsNeeded(t *testing.T) {
	lines := map[string][]string{
		"en": {"The bridge of the city was closed, and the people that live on the other side have not been told for how long.\n", "Bring food and water, since nothing is open on the way up to the old farm.\n"},
		"de": {"Die Brücke der Stadt ist gesperrt, und die Leute auf der anderen Seite wissen nicht, wie lange das noch dauern wird.\n", "Wer hinauf will, nimmt am besten etwas zu essen mit, denn unterwegs hat nichts offen.\n"},
		"fr": {"Le pont de la ville est fermé depuis lundi, et les habitants de l'autre rive ne savent pas encore pour combien de temps.\n", "Il vaut mieux emporter de quoi manger, car rien n'est ouvert sur le chemin de la ferme.\n"},
		"":   {"for i := range n { x_y[i] = f(i) }\n", "Home News About Contact\n"},
	}
	p, of := trigrams(), slices.Index(trigrams().names, "en")
	plainly := func(text string) string {
		own := prose(text, languageText)
		if len(own) < leastProse {
			return ""
		}
		if name := p.instead("en", own); name != "" {
			return name
		}
		f, each := p.fit(own, trigramsRead), p.fit(evidence(own), trigramsRead)
		if each.best != f.best || each.all < 2*leastInstead || 4*each.over(of) < 7*each.all || 2*f.over(of) < f.all {
			return ""
		}
		return p.names[f.best]
	}
	r := rand.New(rand.NewPCG(56, 3))
	told := map[string]int{}
	for range 2000 {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			of := lines[[]string{"en", "de", "fr", ""}[r.IntN(4)]]
			for range 1 + r.IntN(20) {
				b.WriteString(of[r.IntN(len(of))])
			}
		}
		want := plainly(b.String())
		if got := p.insteadByProse("en", b.String()); got != want {
			t.Fatalf("insteadByProse(%q) = %q, want %q", b.String(), got, want)
		}
		told[want]++
	}
	if told[""] < 200 || told["de"] < 200 || told["fr"] < 200 {
		t.Errorf("texts are told as %v, want 200 each of none, de and fr", told)
	}
}

// Most pages are in English under en: of the sentences of one no words are collected.
func TestATextInTheDeclaredLanguageTakesLittle(t *testing.T) {
	lines := strings.Repeat("The bridge of the city was closed, and the people that live on the other side have not been told for how long.\n", 60)
	if n := testing.AllocsPerRun(10, func() {
		if got := Language("en-GB", lines); got != "en-GB" {
			t.Errorf("Language = %q, want en-GB", got)
		}
	}); n > 16 {
		t.Errorf("%v allocations for a text of %d bytes, want at most 16", n, len(lines))
	}
}

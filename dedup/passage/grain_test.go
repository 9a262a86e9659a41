package passage

import (
	"slices"
	"strings"
	"testing"
)

func TestAComparisonGoesIntoDetailWhereTextsDiffer(t *testing.T) {
	same := strings.Repeat("This paragraph stands in both texts and is never cut. It has two sentences.\n", 20)
	here := same + "The ferry leaves on Monday from the old port at noon. Bring food.\nA paragraph of one side alone, which nothing of the other is like."
	there := "The ferry leaves on Friday from the old port at noon. Bring food. Dogs pay nothing.\n" + same
	c := CompareByGrain(here, there)
	var got []string
	for _, s := range c.Here.Only {
		got = append(got, s.Grain.String()+": "+here[s.From:s.To])
	}
	for _, s := range c.There.Only {
		got = append(got, s.Grain.String()+": "+there[s.From:s.To])
	}
	want := []string{
		"words: Monday", "paragraph: A paragraph of one side alone, which nothing of the other is like",
		"words: Friday", "sentence: Dogs pay nothing",
	}
	if !slices.Equal(got, want) {
		t.Errorf("CompareByGrain tells apart %q, want %q", got, want)
	}
	// Of 22 paragraphs 20 are shared: their 40 sentences and 280 words are not looked at.
	if n := c.Here.Compared; n[Paragraphs] != 22 || n[Sentences] != 3 || n[RunsOfWords] > 40 {
		t.Errorf("CompareByGrain looks up %d paragraphs, %d sentences, %d runs of words, want 22, 3 and few", n[0], n[1], n[2])
	}
	if c.Shared() < .9 || c.Shared() >= 1 {
		t.Errorf("Shared = %.3f, want .9 to 1", c.Shared())
	}
}

func FuzzCompareByGrain(f *testing.F) {
	f.Add("one two three. four\nfive", "one 2 three! four five")
	f.Add("\xff中\u00ad文。一", "e\u0301 ｶﾞ")
	f.Fuzz(func(t *testing.T, a, b string) {
		if c := CompareByGrain(a, a); c.Shared() != 1 || len(c.Here.Only) != 0 {
			t.Errorf("CompareByGrain(%q, itself) shares %g", a, c.Shared())
		}
		c, back := CompareByGrain(a, b), CompareByGrain(b, a)
		if !slices.Equal(c.Here.Only, back.There.Only) || c.Shared() != back.Shared() {
			t.Errorf("CompareByGrain(%q, %q) and the other way round differ", a, b)
		}
		share := func(s Side) float64 { return float64(s.Shared) / float64(max(s.Words, 1)) }
		if ofA, ofB := SharedByGrain(GrainsOf(a), GrainsOf(b)); ofA != share(c.Here) || ofB != share(c.There) {
			t.Errorf("SharedByGrain(%q, %q) = %g, %g, CompareByGrain %g, %g", a, b, ofA, ofB, share(c.Here), share(c.There))
		}
		at := 0
		for _, s := range c.Here.Only {
			if s.From < at || s.To <= s.From || s.To > len(a) {
				t.Errorf("CompareByGrain(%q, %q): span %+v after %d", a, b, s, at)
			}
			at = s.To
		}
	})
}

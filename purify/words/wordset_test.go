package words

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestSetsOfFewAndOfManyWordsAgreeWithAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range 500 {
		var sets [2]WordSet
		var want [2]map[string]bool
		for i := range sets {
			var text []string
			want[i] = map[string]bool{}
			for range r.IntN(60) {
				word := fmt.Sprintf("Word%d", r.IntN(40))
				text = append(text, word)
				want[i][strings.ToLower(word)] = true
			}
			sets[i] = Set(strings.Join(text, " "))
			if got := sets[i].Len(); got != len(want[i]) {
				t.Fatalf("Set(%q).Len() = %d, want %d", text, got, len(want[i]))
			}
		}
		both := 0
		for w := range want[0] {
			if !sets[0].Has(w) {
				t.Fatalf("the set %v lacks %q", sets[0], w)
			}
			if want[1][w] {
				both++
			}
		}
		if got := Common(sets[0], sets[1]); got != both {
			t.Fatalf("Common(%v, %v) = %d, want %d", sets[0], sets[1], got, both)
		}
	}
}

func TestSetHasCharactersOfTextsWithoutSpaces(t *testing.T) {
	set := Set("蜜蜂 Bees’ 蜂箱")
	for _, w := range []string{"蜜", "蜂", "箱"} {
		if !set.Has(w) {
			t.Errorf("Set lacks %q", w)
		}
	}
	if set.Len() != 4 {
		t.Errorf("Len() = %d, want 4: three characters and a word", set.Len())
	}
}

func TestOtherLettersAreFoundAtAnyPlace(t *testing.T) {
	for _, c := range []struct {
		letter string
		other  bool
	}{{"a", false}, {"é", false}, {"\u033f", false}, {"Ͱ", true}, {"я", true}, {"蜂", true}, {"—", false}, {"“", false}, {"€", false}, {"\u2000", false}, {"\u20bf", false}, {"ℓ", true}, {"Ⴀ", true}} {
		for before := range 20 {
			text := strings.Repeat("x", before) + c.letter + strings.Repeat("y", 19-before)
			if got := hasOtherLetters(text); got != c.other {
				t.Errorf("hasOtherLetters(%q) = %v, want %v", text, got, c.other)
			}
		}
	}
}

func TestLatinTextsHaveHardlyAnyOtherLetters(t *testing.T) {
	for _, c := range []struct {
		latin, other int
		want         bool
	}{{100, 2, true}, {100, 3, false}, {0, 0, false}, {0, 5, false}, {50, 1, true}, {49, 1, false}} {
		latin, other := strings.Repeat("a", c.latin), strings.Repeat("蜂", c.other)
		for _, text := range []string{latin + other, other + latin} {
			if got := isLatin(text); got != c.want {
				t.Errorf("isLatin of %d Latin letters and %d others = %v, want %v", c.latin, c.other, got, c.want)
			}
		}
	}
}

func TestWordsReadAsTheyAreWrittenAreThoseOfAReader(t *testing.T) {
	parts := []string{"a", "B", "zz", "1", "'", "’", "é", "Я", "蜂", "—", "\xff", " ", "-", "\u0301", "\n"}
	r := rand.New(rand.NewPCG(5, 11))
	for range 3000 {
		var b strings.Builder
		for range r.IntN(24) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		text := b.String()
		joined, want := "", map[string]bool{}
		var in Reader
		for in.Reset(text); in.Next(); {
			joined += string(in.Word)
			if !in.cjk {
				want[string(in.Word)] = true
				continue
			}
			for _, c := range string(in.Word) {
				want[string(c)] = true
			}
		}
		if got := Joined(text); got != joined {
			t.Fatalf("Joined(%q) = %q, want %q", text, got, joined)
		}
		set := Set(text)
		for w := range want {
			if !set.Has(w) {
				t.Fatalf("Set(%q) lacks %q", text, w)
			}
		}
		if set.Len() != len(want) {
			t.Fatalf("Set(%q).Len() = %d, want %d", text, set.Len(), len(want))
		}
	}
}

func TestASetOfFewWordsAllocatesLittle(t *testing.T) {
	const title = "Eight Plain Words that a title may have"
	if n := testing.AllocsPerRun(100, func() { Set(title) }); n > 2 {
		t.Errorf("Set(%q) allocates %v times, want 2 at most: the list, and the memory of its words", title, n)
	}
	if n := testing.AllocsPerRun(100, func() { Joined(title) }); n > 1 {
		t.Errorf("Joined(%q) allocates %v times, want once", title, n)
	}
}

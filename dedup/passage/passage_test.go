package passage

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestADifferenceShowsWhatEachTextHasAlone(t *testing.T) {
	for _, c := range []struct {
		name        string
		here, there string
		want        Difference
	}{
		{"equal but for case and marks", "One two, three four.", "one TWO three: four", Difference{}},
		{"a word", "the ship sails on Monday from the old port at noon", "the ship sails on Friday from the old port at noon", Difference{
			Here:  []Passage{{"the ship sails on", "Monday", "from the old port"}},
			There: []Passage{{"the ship sails on", "Friday", "from the old port"}},
		}},
		{"a line at the end", "one two three four\nfive six seven", "one two three four\nfive six seven\nmore below", Difference{
			There: []Passage{{"four five six seven", "more below", ""}},
		}},
		{"Chinese", "船于星期一从老港出发前往北方", "船于星期五从老港出发前往北方", Difference{
			Here:  []Passage{{"船于星期", "一", "从老港出"}},
			There: []Passage{{"船于星期", "五", "从老港出"}},
		}},
		{"nothing in one", "", "words of a text", Difference{There: []Passage{{"", "words of a text", ""}}}},
	} {
		if got := Differ(c.here, c.there); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: Differ = %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestADifferenceIsBounded(t *testing.T) {
	here := strings.Repeat("shared words stand here between "+strings.Repeat("长文字", 100)+" and after ", 50)
	d := Differ(here, "shared words stand here between and after")
	if len(d.Here) == 0 || len(d.Here) > maxPassages {
		t.Fatalf("Differ gives %d passages, want 1 to %d", len(d.Here), maxPassages)
	}
	for _, p := range d.Here {
		if len(p.Text) > maxPassage+len("…") {
			t.Errorf("a passage of %d bytes, want at most %d", len(p.Text), maxPassage)
		}
	}
}

func FuzzDiffer(f *testing.F) {
	f.Add("one two three", "one 2 three four")
	f.Add("\xff中\u00ad文", "e\u0301 ｶﾞ")
	f.Fuzz(func(t *testing.T, a, b string) {
		if d := Differ(a, a); !d.IsZero() {
			t.Errorf("Differ(%q, itself) = %+v", a, d)
		}
		d := Differ(a, b)
		for _, p := range append(d.Here, d.There...) {
			if utf8.ValidString(a) && utf8.ValidString(b) && !utf8.ValidString(p.Before+p.Text+p.After) {
				t.Errorf("Differ(%q, %q) cuts a character: %+v", a, b, p)
			}
		}
	})
}

// TestALineIsThatOfAllItsWords compares with the whole text on one line.
func TestALineIsThatOfAllItsWords(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		var b strings.Builder
		for range r.IntN(60) {
			b.WriteString([]string{" ", "\n", "\u3000", "a", "word", "zwölf", "漢字", strings.Repeat("long", 50)}[r.IntN(8)])
		}
		want := strings.Join(strings.Fields(b.String()), " ")
		if len(want) > maxPassage {
			n := maxPassage
			for !utf8.RuneStart(want[n]) {
				n--
			}
			want = want[:n] + "…"
		}
		if got := oneLine(b.String()); got != want {
			t.Fatalf("oneLine(%q) = %q, want %q", b.String(), got, want)
		}
	}
}

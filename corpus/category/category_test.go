package category

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// sampled returns a sample of pages of three subjects on four hosts, each with words of its
// own among words of all, in English and in Chinese.
func sampled(n int) *Sample {
	var s Sample
	for i := range n {
		name, text := invented(i)
		s.Add(fmt.Sprintf("h%d.example", i%4), fmt.Sprintf("http://h%d.example/%d", i%4, i), name, "", text)
	}
	return &s
}

func invented(i int) (name, text string) {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	name = []string{"birds", "clocks", "天气"}[i%3]
	var b strings.Builder
	for range 60 {
		switch own := r.IntN(4) == 0; {
		case name == "天气":
			fmt.Fprintf(&b, "%c%c", rune(0x4e00+r.IntN(12)), rune(0x5000+r.IntN(12)))
		case own:
			fmt.Fprintf(&b, "%s%s ", name, string(rune('a'+r.IntN(20))))
		default:
			fmt.Fprintf(&b, "word%s%s ", string(rune('a'+r.IntN(20))), string(rune('a'+r.IntN(20))))
		}
	}
	return name, b.String()
}

func TestPagesAreToldByTheirWords(t *testing.T) {
	m, err := Fit(sampled(150).Examples())
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"birds", "clocks", "天气"}; !slices.Equal(m.Categories, want) {
		t.Errorf("Categories are %q, want %q", m.Categories, want)
	}
	for i := 1000; i < 1060; i++ {
		want, text := invented(i)
		if got, likely, ok := m.Tell("", text); got != want || likely < .5 || !ok {
			t.Errorf("Tell(page %d) = %q, %.2f, %v; want %q", i, got, likely, ok, want)
		}
	}
	for _, text := range []string{"", "...", "birdsa birdsb", strings.Repeat("unknown vocabulary ", 50)} {
		if got, _, ok := m.Tell("", text); ok {
			t.Errorf("Tell(%.20q) = %q, want nothing: it has too few known words", text, got)
		}
	}
}

func TestAModelIsMeasuredByWhatItWasNotMadeFrom(t *testing.T) {
	examples := sampled(150).Examples()
	byPage, byHost := Measure(examples, .5)
	if byPage.Examples != 150 || byPage.Accuracy() < .95 || byHost.Examples != 150 || byHost.Accuracy() < .95 {
		t.Errorf("of words that name their subject %+v and %+v are told, want nearly all of 150", byPage, byHost)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range examples {
		examples[i].Category = []string{"birds", "clocks", "天气"}[r.IntN(3)]
	}
	if byPage, _ := Measure(examples, .5); byPage.Accuracy() > .5 {
		t.Errorf("of labels drawn at random %.2f are told, want some third", byPage.Accuracy())
	}
}

// A page of another subject than those that the model knows shares the words of all pages with them. Of 40 pages of each kind 38 of
// a known category get it, and 32 of others get none.
func TestAPageOfNoneOfTheCategoriesGetsNone(t *testing.T) {
	m, err := Fit(sampled(150).Examples())
	if err != nil {
		t.Fatal(err)
	}
	known, others := 0, 0
	for i := range 40 {
		want, text := invented(3000 + 3*i)
		if m.Likely("", text) == want {
			known++
		}
		if m.Likely("", strings.ReplaceAll(text, want, "ships")) == "" {
			others++
		}
	}
	if known < 38 || others < 32 {
		t.Errorf("%d of 40 pages of a known category get it, and %d of 40 of another one get none; want 38 and 32", known, others)
	}
}

func TestPagesOfCategoriesLeftOutAreMeasured(t *testing.T) {
	examples := sampled(150).Examples()
	s := MeasureOthers(examples, .5)
	if s.Examples != 150 || s.Right != 0 || s.Coverage() > .2 {
		t.Errorf("MeasureOthers = %+v, want all 150 pages asked about, none of them right, and a category for at most a fifth", s)
	}
	two := slices.DeleteFunc(examples, func(e Example) bool { return e.Category == "birds" })
	if s := MeasureOthers(two, .5); s.Examples != 0 {
		t.Errorf("with two categories MeasureOthers = %+v, want no question", s)
	}
}

func TestACategoryOfOneHostIsNotAskedOfOthers(t *testing.T) {
	examples := sampled(60).Examples()
	for i := range examples {
		examples[i].Host = examples[i].Category
	}
	if _, byHost := Measure(examples, .5); byHost.Examples != 0 {
		t.Errorf("%d examples are asked about, want none", byHost.Examples)
	}
}

func TestTooFewExamplesMakeNoModel(t *testing.T) {
	if _, err := Fit(sampled(9).Examples()); err == nil {
		t.Error("three pages of each category make a model, want an error")
	}
}

func TestTheOrderOfPagesDoesNotMatter(t *testing.T) {
	var forward, back Sample
	for i := range 1500 {
		for s, n := range map[*Sample]int{&forward: i, &back: 1499 - i} {
			name, text := invented(n)
			s.Add("h", fmt.Sprint("http://h/", n), name, "", text)
		}
	}
	a, b := forward.Examples(), back.Examples()
	if len(a) != 3*maxOfOne || !slices.EqualFunc(a, b, func(x, y Example) bool { return x.order == y.order }) {
		t.Errorf("samples of %d and %d pages differ, want the same %d", len(a), len(b), 3*maxOfOne)
	}
}

func TestASavedModelTellsTheSame(t *testing.T) {
	m, err := Fit(sampled(90).Examples())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	loaded, err := Load(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		_, text := invented(2000 + i)
		name, likely, _ := m.Tell("", text)
		if got, as, _ := loaded.Tell("", text); got != name || as != likely {
			t.Errorf("the saved model tells %q, %v; want %q, %v", got, as, name, likely)
		}
	}
	for n := range len(whole) {
		if n%97 == 0 {
			if _, err := Load(bytes.NewReader(whole[:n])); err == nil {
				t.Errorf("Load of the first %d of %d bytes is no error", n, len(whole))
			}
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte("no model"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := Load(bytes.NewReader(b)); err == nil {
			m.Tell("a title", strings.Repeat("words of a page ", 20))
		}
	})
}

func TestNamesThatNameNoSubjectAreLeftOut(t *testing.T) {
	for _, c := range []struct {
		path []string
		n    int
		want string
	}{
		{[]string{"Blog", "Birds  of Prey", "Owls"}, 1, "birds of prey"},
		{[]string{"2024", "05", "birds", "owls"}, 2, "birds / owls"},
		{[]string{"未分类"}, 1, ""}, {nil, 1, ""},
	} {
		if got := Named(c.path, c.n); got != c.want {
			t.Errorf("Named(%q, %d) = %q, want %q", c.path, c.n, got, c.want)
		}
	}
}

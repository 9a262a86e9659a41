package truth

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWordsAreFoldedAndCharactersStandAlone(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Don't panic, x_1!", "don t panic x_1"},
		{"Go语言 2.0", "go 语 言 2 0"},
		{"ça カナ한글", "ça カ ナ 한 글"},
		{" -- ", ""},
	} {
		if got := strings.Join(Words(c.text), " "); got != c.want {
			t.Errorf("Words(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestRunsOverlap(t *testing.T) {
	if got, want := Runs(strings.Fields("a b c d e")), []string{"a b c d", "b c d e"}; !slices.Equal(got, want) {
		t.Errorf("Runs = %q, want %q", got, want)
	}
	if got := Runs([]string{"a", "b"}); !slices.Equal(got, []string{"a b"}) {
		t.Errorf("Runs of two words = %q, want them as one", got)
	}
}

func TestScoreCountsEveryWordOnce(t *testing.T) {
	for _, c := range []struct {
		got, want string
		p, r, f   float64
	}{
		{"", "", 1, 1, 1},
		{"a", "", 0, 0, 0},
		{"a a b", "a b b b", 2. / 3, 2. / 4, 4. / 7},
	} {
		p, r, f := Score(strings.Fields(c.got), strings.Fields(c.want))
		if max(p-c.p, c.p-p, r-c.r, c.r-r, f-c.f, c.f-f) > 1e-9 {
			t.Errorf("Score(%q, %q) = %v, %v, %v, want %v, %v, %v", c.got, c.want, p, r, f, c.p, c.r, c.f)
		}
	}
}

func TestAFaultyLineOfACorpusIsNamed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "corpus.jsonl")
	if err := os.WriteFile(name, []byte("{\"id\":\"1\",\"body\":\"b\"}\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var ids []string
	err := EachPage(name, func(p *Page) { ids = append(ids, p.ID) })
	if err == nil || !strings.Contains(err.Error(), name+", line 2: ") || !slices.Equal(ids, []string{"1"}) {
		t.Errorf("EachPage read %q and says %v, want page 1 and the name of line 2", ids, err)
	}
}

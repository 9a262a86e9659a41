package corpus

import "testing"

func TestShinglesOfKnownTexts(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"", "", 1},
		{"one", "ONE!", 1},
		{"one", "two", 0},
		{"a b c d", "a b c d", 1},
		{"a b c d", "a b c e", 1. / 3},
		{"a b c d e", "b c d e", 2. / 3},
		{"中文网页", "中文网站", 1. / 3},
		{"中文abc网页", "中文 ABC，网页", 1},
	} {
		if got := Jaccard(Shingles(c.a), Shingles(c.b)); got != c.want {
			t.Errorf("Jaccard of %q and %q = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

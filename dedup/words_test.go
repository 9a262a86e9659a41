package dedup

import (
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup/internal/token"
)

func TestWordsAreTheTokensThatSignReads(t *testing.T) {
	for _, c := range []struct {
		body string
		want []string // a single character has a dot
	}{
		{"", nil},
		{"Two words, 3.14!", []string{"two", "words", "3.14"}},
		{"用Go写crawler程序", []string{"用.", "go", "写.", "crawler", "程.", "序."}},
		{"가 나 don't", []string{"가.", "나.", "dont"}},
	} {
		var got []string
		for w, single := range Words(c.body) {
			s := string(w)
			if single {
				s += "."
			}
			got = append(got, s)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("Words(%q) = %q, want %q", c.body, got, c.want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Two words, 用Go写 ｶﾞ e\u0301 中\u0301")
	f.Fuzz(func(t *testing.T, body string) {
		var want token.List
		want.Read(body)
		n := 0
		for w, single := range Words(body) {
			if n == len(want.Hashes) {
				t.Fatalf("more words than tokens: %q", w)
			}
			if !single && xxhash.Sum64(w) != want.Hashes[n] {
				t.Fatalf("word %d is %q, which has another hash than the token", n, w)
			}
			n++
		}
		if n != len(want.Hashes) {
			t.Errorf("%d words, want %d", n, len(want.Hashes))
		}
	})
}

package purify

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/klauspost/compress/zstd"
)

// A labelledPage is a real page with the body that people gave it.
type labelledPage struct {
	ID, URL, Type, Title, Date, Author, Body, Host, HTML string
}

// eachPage calls do with the pages of a file of the data folder. The test is
// skipped where there is no such folder.
func eachPage(tb testing.TB, name string, do func(labelledPage)) {
	tb.Helper()
	f, err := os.Open(filepath.Join("..", "..", "shared", "data", "purify", name))
	if errors.Is(err, fs.ErrNotExist) {
		tb.Skipf("%s is not there: real pages live outside the repository", name)
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		tb.Fatal(err)
	}
	defer z.Close()
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var p labelledPage
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			tb.Fatal(err)
		}
		do(p)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
}

// plainWords splits a text as the benchmark of web-content.jsonl does: runs of
// letters, digits and underscores in lower case.
func plainWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// score is precision, recall and F1 of a multiset against another.
func score(got, want []string) (p, r, f float64) {
	if len(got) == 0 && len(want) == 0 {
		return 1, 1, 1
	}
	count := make(map[string]int, len(want))
	for _, w := range want {
		count[w]++
	}
	hit := 0
	for _, w := range got {
		if count[w] > 0 {
			count[w]--
			hit++
		}
	}
	if hit == 0 {
		return 0, 0, 0
	}
	p, r = float64(hit)/float64(len(got)), float64(hit)/float64(len(want))
	return p, r, 2 * p * r / (p + r)
}

// fourGrams are the runs of four tokens of a text; a Chinese, Japanese or
// Korean character is a token.
func fourGrams(s string) []string {
	var tokens []string
	for _, w := range plainWords(s) {
		start := 0
		for i, r := range w {
			if cjk(r) {
				if start < i {
					tokens = append(tokens, w[start:i])
				}
				tokens = append(tokens, string(r))
				start = i + len(string(r))
			}
		}
		if start < len(w) {
			tokens = append(tokens, w[start:])
		}
	}
	var grams []string
	for i := 0; i+4 <= len(tokens); i++ {
		grams = append(grams, strings.Join(tokens[i:i+4], " "))
	}
	if grams == nil && tokens != nil {
		grams = []string{strings.Join(tokens, " ")}
	}
	return grams
}

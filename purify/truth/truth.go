// Package truth reads pages whose bodies people have written down, and measures how near
// another body comes to theirs.
//
// It is for training and measuring purify, and part of no crawl.
package truth

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/klauspost/compress/zstd"
)

// A Page is a line of a corpus: JSON with a page's mark-up and what people say
// of it. All but ID, HTML and Body may be missing.
type Page struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Host   string `json:"host"`
	HTML   string `json:"html"`
	Body   string `json:"body"`
	Type   string `json:"type"`
	Title  string `json:"title"`
	Date   string `json:"date"` // YYYY-MM-DD
	Author string `json:"author"`
}

// EachPage calls do with every page of a corpus in turn: a file of JSON lines,
// in zstd if its name ends in .zst.
func EachPage(name string, do func(*Page)) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := io.Reader(f)
	if strings.HasSuffix(name, ".zst") {
		z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return err
		}
		defer z.Close()
		in = z
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		p := new(Page)
		if err := json.Unmarshal(lines.Bytes(), p); err != nil {
			return fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		do(p)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// maxLine bounds a line of a corpus, in bytes.
const maxLine = 64 << 20

// Words splits a text as the corpora's own benchmarks do: runs of letters, marks,
// digits and underscores in lower case, and every Chinese, Japanese or Korean
// character alone.
func Words(text string) []string {
	var all []string
	words := strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	for w := range words {
		from := 0
		for i, r := range w {
			if !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
				continue
			}
			if from < i {
				all = append(all, w[from:i])
			}
			from = i + len(string(r))
			all = append(all, w[i:from])
		}
		if from < len(w) {
			all = append(all, w[from:])
		}
	}
	return all
}

// Runs returns the runs of four words, or all of fewer as one.
func Runs(words []string) []string {
	const length = 4
	if len(words) > 0 && len(words) < length {
		return []string{strings.Join(words, " ")}
	}
	var all []string
	for i := 0; i+length <= len(words); i++ {
		all = append(all, strings.Join(words[i:i+length], " "))
	}
	return all
}

// Score returns the precision, the recall and the F1 of what was got compared with what is
// wanted, both as multisets. For two empty ones all are 1.
func Score(got, want []string) (precision, recall, f1 float64) {
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
	p, r := float64(hit)/float64(len(got)), float64(hit)/float64(len(want))
	return p, r, 2 * p * r / (p + r)
}

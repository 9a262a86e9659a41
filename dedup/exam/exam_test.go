package exam

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/methods"
)

var update = flag.Bool("update", false, "write golden files anew")

// corpus reads testdata/corpus.txt: documents that start with a line of == and
// their name, their site, and the name of the one that they are a copy of.
func corpus(t *testing.T) Test {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "corpus.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var test Test
	at, of := map[string]int{}, map[string][]int{}
	for part := range strings.SplitSeq("\n"+string(text), "\n== ") {
		head, body, _ := strings.Cut(part, "\n")
		f := strings.Fields(head)
		if len(f) < 2 {
			continue
		}
		i := len(test.Docs)
		at[f[0]] = i
		test.Docs = append(test.Docs, methods.Document{URL: "http://" + f[1] + "/" + f[0], Site: f[1], Body: body})
		origin := f[0]
		if len(f) == 3 {
			origin = f[2]
		}
		for _, copied := range of[origin] {
			test.Copies = append(test.Copies, methods.Pair{A: copied, B: i, Score: 1})
		}
		of[origin] = append(of[origin], i)
	}
	return test
}

// TestGoldenCorpus keeps what each method says of a few texts that are small
// enough to be read. Run with -update after a change that is meant.
func TestGoldenCorpus(t *testing.T) {
	test := corpus(t)
	exam := NewExam(test)
	name := func(i int) string { return test.Docs[i].URL[strings.LastIndexByte(test.Docs[i].URL, '/')+1:] }
	var b strings.Builder
	for _, m := range methods.All(0.8) {
		r := exam.Run(m)
		s := r.Scores[0]
		fmt.Fprintf(&b, "%s: %d of %d copies, %d wrong, %.0f bytes\n", r.Method, s.Right, s.Copies, s.Found-s.Right, r.BytesPerDoc)
		pairs := slices.SortedFunc(m.Sign(test.Docs).Pairs(m.Threshold()), func(x, y methods.Pair) int { return (x.A-y.A)*100 + x.B - y.B })
		for _, p := range pairs {
			fmt.Fprintf(&b, "  %.3f %s %s\n", p.Score, name(p.A), name(p.B))
		}
	}
	golden := filepath.Join("testdata", "golden.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the methods say\n%s\nand %s has\n%s", b.String(), golden, want)
	}
}

// edited are documents of 40 lines, each with versions of which one, two and more lines differ.
func edited() (docs []methods.Document) {
	for i := range 8 {
		for edits := range 6 {
			var b strings.Builder
			for line := range 40 {
				of := i
				if line*7%40 < edits {
					of = 100 + 10*i + edits
				}
				fmt.Fprintf(&b, "line %d of text%d has its w%dx%d\n", line, of, of, line)
			}
			docs = append(docs, methods.Document{URL: fmt.Sprintf("http://site-%d/%d", i, edits), Body: b.String()})
		}
	}
	return docs
}

func TestExamOfTheYardstickIsPerfect(t *testing.T) {
	docs := edited()
	r := NewExam(Test{Docs: docs, Copies: methods.Copies(docs, 0.8)}).Run(methods.Jaccard{Words: 3, Least: 0.8})
	for _, s := range r.Scores {
		if s.Found != s.Copies || s.Right != s.Copies {
			t.Errorf("%s: found %d, right %d of %d", s.Split, s.Found, s.Right, s.Copies)
		}
	}
	if r.Scores[0].Copies == 0 || r.Best.F1 != 1 || math.Abs(r.Best.Threshold-0.8) > 0.05 {
		t.Errorf("%d copies, best point %+v, want F1 1 at about 0.8", r.Scores[0].Copies, r.Best)
	}
}

// saying is a method that scores pairs as it is told.
type saying struct {
	methods.Jaccard
	scores map[[2]int]float64
}

func (s saying) Sign([]methods.Document) methods.Signatures { return said(s.scores) }

type said map[[2]int]float64

func (s said) Size() int              { return 10 }
func (s said) Score(a, b int) float64 { return s[[2]int{min(a, b), max(a, b)}] }
func (s said) Pairs(least float64) iter.Seq[methods.Pair] {
	return func(yield func(methods.Pair) bool) {
		for b := range 6 {
			for a := range b {
				if x := s.Score(a, b); x >= least && !yield(methods.Pair{A: a, B: b, Score: x}) {
					return
				}
			}
		}
	}
}

func TestExamCountsPairsByHand(t *testing.T) {
	long := strings.Repeat("many words ", 50)
	docs := []methods.Document{
		{URL: "0", Site: "a", Body: long}, {URL: "1", Site: "a", Body: long}, {URL: "2", Site: "b", Body: "short"},
		{URL: "3", Site: "b", Body: strings.Repeat("汉字", 50)}, {URL: "4", Site: "c", Body: strings.Repeat("文字", 50)}, {URL: "5", Site: "c", Body: long},
	}
	m := saying{methods.Jaccard{Least: 0.8}, map[[2]int]float64{{0, 1}: 0.9, {1, 2}: 0.8, {3, 4}: 1, {0, 5}: 0.7}}
	all := Test{Docs: docs, Copies: []methods.Pair{{A: 0, B: 1, Score: 1}, {A: 0, B: 2, Score: 0.9}, {A: 0, B: 5, Score: 0.8}, {A: 3, B: 4, Score: 1}}}
	asked := all
	asked.Asked = [][2]int{{0, 1}, {0, 2}, {0, 5}, {1, 2}, {3, 4}, {3, 5}}
	for _, c := range []struct {
		name string
		test Test
	}{{"all pairs", all}, {"the same pairs one by one", asked}} {
		t.Run(c.name, func(t *testing.T) {
			r := NewExam(c.test).Run(m)
			for i, want := range []Score{
				{Split: "all", Copies: 4, Found: 3, Right: 2},
				{Split: "same site", Copies: 1, Found: 1, Right: 1},
				{Split: "other site", Copies: 3, Found: 2, Right: 1},
				{Split: "chinese", Copies: 1, Found: 1, Right: 1},
				{Split: "short", Copies: 1, Found: 1, Right: 0},
			} {
				got := r.Scores[i]
				got.Precision, got.Recall, got.F1 = Interval{}, Interval{}, Interval{}
				if got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
			}
			s := r.Scores[0]
			if s.Precision.Value != 2.0/3 || s.Recall.Value != 0.5 || math.Abs(s.F1.Value-4.0/7) > 1e-9 {
				t.Errorf("precision %v, recall %v, f1 %v, want 2/3, 1/2, 4/7", s.Precision, s.Recall, s.F1)
			}
			// 0, 1 and 2 are one group, and 3 and 4: of four pairs three are copies.
			if g := r.Grouped; g.Groups != 2 || g.Precision != 0.75 || g.Recall != 0.75 {
				t.Errorf("grouped %+v, want 2 groups, 3 of 4, 3 of 4", g)
			}
			// Down to 0.7 all but one copy is found.
			if want := 2 * 3.0 / 8; math.Abs(r.Best.F1-want) > 1e-9 || math.Abs(r.Best.Threshold-0.7) > 1e-9 {
				t.Errorf("best %+v, want F1 %.3f at 0.7", r.Best, want)
			}
		})
	}
}

func TestAGateComparesWithWhatItKept(t *testing.T) {
	docs := make([]methods.Document, 6)
	m := saying{methods.Jaccard{Least: 0.8}, map[[2]int]float64{{0, 1}: 1, {1, 2}: 1, {2, 3}: 1}}
	test := Test{Docs: docs, Copies: []methods.Pair{{A: 0, B: 1, Score: 1}, {A: 1, B: 2, Score: 1}, {A: 0, B: 4, Score: 0.95}, {A: 2, B: 5, Score: 0.85}}}
	// 1 is discarded, so 2 is kept although it is like 1, and 3 is discarded as
	// a copy of 2, which it is not. Of 0, which is kept, 4 is missed.
	want := Crawled{Discarded: 2, Wrong: 1, Alike: 2, Missed: 1}
	if got := NewExam(test).Run(m).Crawled; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestIntervals(t *testing.T) {
	for _, c := range []struct{ hits, n, low, high float64 }{
		// The score interval of the textbook (Newcombe 1998, table I).
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
		{0, 0, 0, 1},
	} {
		got := Wilson(c.hits, c.n)
		if math.Abs(got.Low-c.low) > 5e-5 || math.Abs(got.High-c.high) > 5e-5 {
			t.Errorf("Wilson(%v, %v) = %.4f to %.4f, want %.4f to %.4f", c.hits, c.n, got.Low, got.High, c.low, c.high)
		}
	}
}

func TestPairsOfOnePageMakeAnIntervalWider(t *testing.T) {
	// One page is wrongly paired with 20 others; 200 pairs of others are right.
	var one, many []judged
	for i := range 200 {
		right := judged{[2]int{2 * i, 2*i + 1}, true, true, 1}
		one, many = append(one, right), append(many, right)
	}
	for i := range 20 {
		one = append(one, judged{[2]int{500, 501 + i}, false, true, 1})
		many = append(many, judged{[2]int{500 + 2*i, 501 + 2*i}, false, true, 1})
	}
	width := func(pairs []judged) float64 {
		p := scoresOf(pairs, 600)[0].Precision
		return p.High - p.Low
	}
	if a, b := width(one), width(many); a <= b {
		t.Errorf("wrong pairs of one page: width %.3f; of many pages: %.3f", a, b)
	}
}

func TestPlotIsXMLWithEveryMethod(t *testing.T) {
	test := corpus(t)
	exam := NewExam(test)
	var results []Result
	for _, m := range methods.All(0.8) {
		results = append(results, exam.Run(m))
	}
	var b bytes.Buffer
	if err := Plot(&b, "a <corpus> & more", results); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for d := xml.NewDecoder(&b); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "polyline" {
			lines++
		}
	}
	if lines != len(results) {
		t.Errorf("%d lines, want %d", lines, len(results))
	}
}

func TestATitleIsNotCutOffAtTheEdgeOfThePlot(t *testing.T) {
	for _, title := range []string{
		"short",
		strings.Repeat("a folder with a name ", 20) + "\nTruth: somebody's",
		strings.Repeat("one-word", 60),
		"漢字 " + strings.Repeat("漢字", 100),
	} {
		var b strings.Builder
		if err := Plot(&b, title, nil); err != nil {
			t.Fatal(err)
		}
		var words string
		for line := range strings.Lines(b.String()) {
			text, ok := strings.CutPrefix(line, `<text x="70" y="`)
			if !ok || !strings.Contains(text, `font-size="16"`) {
				continue
			}
			text = strings.ReplaceAll(text[strings.Index(text, ">")+1:strings.Index(text, "</text>")], "&#39;", "'")
			cells := 0
			for _, r := range text {
				cells += cellsOf(r)
			}
			if cells > titleCells+1 {
				t.Errorf("a line of %d cells is wider than the drawing: %q", cells, text)
			}
			words += text
		}
		strip := strings.NewReplacer(" ", "", "\n", "")
		if strip.Replace(words) != strip.Replace(title) {
			t.Errorf("the title is %q, want %q", words, title)
		}
	}
}

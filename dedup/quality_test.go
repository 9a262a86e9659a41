package dedup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"gatecrawl/purify"
)

// A collection is a tree of real pages and what is known of it: pages of one set
// have equal shingles, and of the pairs of sets all are listed whose exact
// Jaccard coefficient is 0.8 or more.
type collection struct {
	pages []collected // by path
	pairs map[[2]int]bool
}

type collected struct {
	path string
	set  int
	sig  Signature
	body string
}

// TestQuality prints how well the gate does on real pages, and fails where it
// falls behind what was reached once. -v shows the figures.
//
// The bodies are purify's, and besides what the page's own markup calls its main
// part: the listed truth is about such texts, so that these figures are the
// gate's alone and have floors. A second truth are the exact Jaccard
// coefficients of the very bodies that were signed, which leaves the error of
// the signatures.
func TestQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 6,055 real pages twice")
	}
	for _, c := range []struct {
		name              string
		precision, recall float64 // of the near level on pairs of main parts
	}{
		{"manual", 0.97, 0.74},
		{"project", 0.97, 0.64},
		{"guide-zh", 0.9, 0},
	} {
		for _, cut := range []struct {
			name   string
			body   func(page []byte) *purify.DocView
			floors bool
		}{
			{"main part", mainPart, true},
			{"purified", func(page []byte) *purify.DocView { return purify.Purify(page, "text/html") }, false},
		} {
			t.Run(c.name+"/"+cut.name, func(t *testing.T) {
				all := collect(t, c.name, cut.body)
				o := DefaultOptions()
				reportPairs(t, all, o, "listed truth", all.listed)
				precision, recall := reportPairs(t, all, o, "these bodies", exact(all))
				if cut.floors && (precision < c.precision || recall < c.recall) {
					t.Errorf("precision %.3f, recall %.3f, want %.2f and %.2f", precision, recall, c.precision, c.recall)
				}
				reportGate(t, all, o)
			})
		}
	}
}

// mainPart returns the text of a page's main element, or of what stands for it
// in these collections.
func mainPart(page []byte) *purify.DocView {
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return nil
	}
	for _, is := range []func(n *html.Node) bool{
		func(n *html.Node) bool { return n.Data == "main" },
		func(n *html.Node) bool { return attr(n, "role") == "main" },
		func(n *html.Node) bool { return n.Data == "article" },
		func(n *html.Node) bool { return attr(n, "class") == "body" },
		func(n *html.Node) bool { return n.Data == "body" },
	} {
		for n := range doc.Descendants() {
			if n.Type == html.ElementNode && is(n) {
				return &purify.DocView{Body: textOf(n)}
			}
		}
	}
	return nil
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "script" && d.Parent.Data != "style" && d.Parent.Data != "noscript" {
			b.WriteString(d.Data)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// same reports whether two pages are of one set, or of a listed pair.
func (c *collection) same(a, b collected) bool {
	return a.set == b.set || c.pairs[[2]int{min(a.set, b.set), max(a.set, b.set)}]
}

func (c *collection) listed(i, j int) bool { return c.same(c.pages[i], c.pages[j]) }

// reportPairs scores the near level on all pairs of pages whose bodies differ.
func reportPairs(t *testing.T, c *collection, o Options, name string, truth func(i, j int) bool) (precision, recall float64) {
	t.Helper()
	found, right, there, short := 0, 0, 0, 0
	first := map[Digest]bool{}
	var distinct []int
	for i, p := range c.pages {
		if !first[p.sig.Body] {
			first[p.sig.Body] = true
			distinct = append(distinct, i)
		}
	}
	for x, i := range distinct {
		a := c.pages[i].sig
		for _, j := range distinct[:x] {
			b := c.pages[j].sig
			yes := truth(i, j)
			if yes {
				there++
			}
			if int(min(a.Tokens, b.Tokens)) < o.MinTokens {
				if yes {
					short++
				}
				continue
			}
			if bits.OnesCount64(a.SimHash^b.SimHash) > o.Distance || agree(a.Sketch, b.Sketch) < o.least(min(a.Tokens, b.Tokens) < shortBody) {
				continue
			}
			found++
			if yes {
				right++
			}
		}
	}
	precision, recall = share(right, found), share(right, there)
	t.Logf("%-12s near pairs: precision %.3f (%d of %d), recall %.3f (of %d, %d of them too short)", name, precision, right, found, recall, there, short)
	return precision, recall
}

func share(part, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}

// reportGate scores the whole gate against the listed truth, page by page. A
// body that is equal word for word and yet wrong was cut out otherwise than in
// the truth.
func reportGate(t *testing.T, c *collection, o Options) {
	t.Helper()
	store := new(records)
	g, err := NewGate(o, store)
	if err != nil {
		t.Fatal(err)
	}
	var levels, wrong [LevelNear + 1]int
	missed, copies := 0, 0
	for i, p := range c.pages {
		v, err := g.Claim(DocID(i+1), p.sig)
		if err != nil {
			t.Fatal(err)
		}
		levels[v.Level]++
		is := slices.ContainsFunc(c.pages[:i], func(q collected) bool { return c.same(p, q) })
		if is {
			copies++
		}
		switch {
		case v.Copy() && !is:
			wrong[v.Level]++
		case !v.Copy() && is:
			missed++
		}
	}
	t.Logf("gate: %d pages, %d copies by their bytes, %d by their body, %d near; wrongly discarded %.2f%% by an equal body, %.2f%% as near; copies missed %.1f%%",
		len(c.pages), levels[LevelBytes], levels[LevelBody], levels[LevelNear],
		100*share(wrong[LevelBody], len(c.pages)), 100*share(wrong[LevelNear], len(c.pages)), 100*share(missed, copies))
}

// exact returns whether two bodies have a Jaccard coefficient of 0.8 or more.
func exact(c *collection) func(i, j int) bool {
	sets := make([][]uint64, len(c.pages)) // sorted, distinct
	for i, p := range c.pages {
		var tk tokens
		tk.read(p.body)
		s := shingles(nil, tk.hashes)
		slices.Sort(s)
		sets[i] = slices.Compact(s)
	}
	return func(i, j int) bool {
		a, b := sets[i], sets[j]
		// A pair that shares 0.8 agrees in 115 of 128 values, give or take 3.4.
		if 5*min(len(a), len(b)) < 4*max(len(a), len(b)) || agree(c.pages[i].sig.Sketch, c.pages[j].sig.Sketch) < 96 {
			return false
		}
		both := 0
		for x, y := 0, 0; x < len(a) && y < len(b); {
			switch {
			case a[x] < b[y]:
				x++
			case a[x] > b[y]:
				y++
			default:
				both, x, y = both+1, x+1, y+1
			}
		}
		return len(a) > 0 && 5*both >= 4*(len(a)+len(b)-both)
	}
}

// collect reads a tree of pages and its truth.
func collect(t *testing.T, name string, cut func(page []byte) *purify.DocView) *collection {
	t.Helper()
	c := &collection{pairs: map[[2]int]bool{}}
	sets := map[string]int{}
	table(t, name+".sets.tsv.gz", func(f []string) { sets[f[1]] = number(t, f[0]) })
	table(t, name+".pairs.tsv.gz", func(f []string) {
		a, b := number(t, f[0]), number(t, f[1])
		c.pairs[[2]int{min(a, b), max(a, b)}] = true
	})
	pages := tar.NewReader(unzip(t, name+".tar.gz"))
	for {
		h, err := pages.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		path := strings.TrimPrefix(h.Name, name+"/")
		set, ok := sets[path]
		if h.Typeflag != tar.TypeReg || !ok {
			continue
		}
		payload, err := io.ReadAll(pages)
		if err != nil {
			t.Fatal(err)
		}
		view := cut(payload)
		if view == nil {
			t.Fatalf("%s has no body", path)
		}
		c.pages = append(c.pages, collected{path, set, Sign(payload, view), view.Body})
	}
	slices.SortFunc(c.pages, func(a, b collected) int { return strings.Compare(a.path, b.path) })
	return c
}

func table(t *testing.T, name string, row func(fields []string)) {
	t.Helper()
	lines := bufio.NewScanner(unzip(t, name))
	for lines.Scan() {
		if f := strings.Split(lines.Text(), "\t"); len(f) >= 3 {
			row(f)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func unzip(t *testing.T, name string) io.Reader {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "shared", "data", "pages", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the collections of real pages are not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

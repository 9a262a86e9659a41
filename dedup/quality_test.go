package dedup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/dedup/internal/sketch"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// A collection is a tree of real pages and what is known of it: pages of one set
// have equal shingles, and of the pairs of sets all are listed whose exact
// Jaccard coefficient is 0.8 or more.
type collection struct {
	pages []collected // by path
	pairs map[[2]int]float64
}

type collected struct {
	path string
	set  int
	sig  Signature
	text Text
}

// TestQuality prints how well the gate does on real pages, and fails where it
// falls behind what was reached once. -v shows the figures.
//
// The bodies are purify's, and besides what the page's own markup calls its main
// part: the listed truth is about such texts, so that these figures are the
// gate's alone and have floors. A second truth, a circular one, are the exact
// Jaccard coefficients of the very bodies that were signed: it leaves the error of
// the gate alone, and cannot see a body that is wrong. What the gate makes of sites as
// they are is TestRealSites' of the root package, by a truth of its own. A third, for the purified pages of the manual, whose main parts have
// nothing of the frame, are those of the main parts.
func TestQuality(t *testing.T) {
	slow.Test(t, "reads 6,055 real pages twice")
	for _, c := range []struct {
		name              string
		precision, recall float64 // of copies of main parts, in the order of the pages
		clean             bool    // the main parts are what a body should be
	}{
		{"manual", 0.95, 0.9, true}, // two brief pages of two names are two, which this truth does not know
		{"project", 0.97, 0.95, false},
		// Of 12 copies that this truth knows three have a resemblance below the gate's.
		{"guide-zh", 0.8, 0.7, false},
	} {
		var parts *collection
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
				reportGate(t, all, DefaultOptions(), "listed truth", all.listed)
				if cut.floors {
					parts = all
				} else if c.clean && parts != nil {
					p, r := reportGate(t, all, DefaultOptions(), "main parts", exact(parts))
					if p < 0.95 || r < 0.9 {
						t.Errorf("by the main parts: precision %.3f, recall %.3f, want 0.95 and 0.90", p, r)
					}
				}
				precision, recall := reportGate(t, all, DefaultOptions(), "these bodies (circular)", exact(all))
				if cut.floors && (precision < c.precision || recall < c.recall) {
					t.Errorf("precision %.3f, recall %.3f, want %.2f and %.2f", precision, recall, c.precision, c.recall)
				}
			})
		}
	}
}

var tradeOffs = flag.Bool("tradeoffs", false, "print what each of the gate's thresholds changes (TestTradeOffs)")

// TestTradeOffs prints what other thresholds than the defaults do on main parts,
// by the listed truth:
//
//	go test ./dedup -run TradeOffs -tradeoffs -v
func TestTradeOffs(t *testing.T) {
	if !*tradeOffs {
		t.Skip("-tradeoffs is not set")
	}
	for _, name := range []string{"manual", "project", "guide-zh"} {
		all := collect(t, name, mainPart)
		truth := exact(all)
		for _, c := range []struct {
			setting string
			set     func(*Options)
		}{
			{"defaults", func(*Options) {}},
			{"distance 6", func(o *Options) { o.Distance = 6 }},
			{"bands 0", func(o *Options) { o.Bands = 0 }},
			{"bands 0, distance 6", func(o *Options) { o.Bands, o.Distance = 0, 6 }},
			{"bands 2", func(o *Options) { o.Bands = 2 }},
			{"bands 4", func(o *Options) { o.Bands = 4 }},
			{"bands 8", func(o *Options) { o.Bands = 8 }},
			{"resemblance 0.7", func(o *Options) { o.Resemblance, o.Siblings = 0.7, 0.7 }},
			{"resemblance 0.75", func(o *Options) { o.Resemblance, o.Siblings = 0.75, 0.75 }},
			{"resemblance 0.8", func(o *Options) { o.Resemblance, o.Siblings = 0.8, 0.8 }},
			{"resemblance 0.85", func(o *Options) { o.Resemblance = 0.85 }},
			{"resemblance 0.9", func(o *Options) { o.Resemblance = 0.9 }},
			{"siblings 0.9", func(o *Options) { o.Siblings = 0.9 }},
			{"siblings 1", func(o *Options) { o.Siblings = 1 }},
			{"min tokens 1", func(o *Options) { o.MinTokens = 1 }},
			{"min tokens 4", func(o *Options) { o.MinTokens = 4 }},
			{"min tokens 16", func(o *Options) { o.MinTokens = 16 }},
			{"min tokens 32", func(o *Options) { o.MinTokens = 32 }},
			{"min tokens 64", func(o *Options) { o.MinTokens = 64 }},
		} {
			o := DefaultOptions()
			c.set(&o)
			t.Logf("%s, %s:", name, c.setting)
			reportGate(t, all, o, "listed truth", all.listed)
			reportGate(t, all, o, "these bodies (circular)", truth)
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
				view := purify.Purify(page, "text/html")
				view.Body, view.Blocks = textOf(n), nil // where a view has blocks its body is not read
				return view
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

// listed returns the resemblance of two pages by the listed truth, 0 where it is
// below 0.8.
func (c *collection) listed(i, j int) float64 {
	a, b := c.pages[i].set, c.pages[j].set
	if a == b {
		return 1
	}
	return c.pairs[[2]int{min(a, b), max(a, b)}]
}

func share(part, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}

// reportGate scores the gate page by page, in the order of paths: a verdict is
// right when the page resembles the one it names by 0.8, and a page is to be
// found when it resembles one that was kept before it.
func reportGate(t *testing.T, c *collection, o Options, name string, truth func(i, j int) float64) (precision, recall float64) {
	t.Helper()
	store := &library{texts: make(map[DocID]Text)}
	g, err := NewGate(o, store)
	if err != nil {
		t.Fatal(err)
	}
	var levels, wrong [LevelNear + 1]int
	var kept []int
	copies, right, expected, found, alike, missed := 0, 0, 0, 0, 0, 0
	for i, p := range c.pages {
		doc := DocID(i + 1)
		v, err := g.Claim(doc, p.sig, &p.text)
		if err != nil {
			t.Fatal(err)
		}
		best := 0.0
		for _, k := range kept {
			best = max(best, truth(k, i))
		}
		if best >= 0.8 {
			expected++
		}
		if best >= 0.9 {
			alike++
		}
		if !v.Copy() {
			kept = append(kept, i)
			store.put(doc, p.sig)
			store.texts[doc] = p.text
			if best >= 0.9 {
				missed++
			}
			continue
		}
		copies++
		levels[v.Level]++
		if truth(int(v.Of-1), i) < 0.8 {
			wrong[v.Level]++
			continue
		}
		right++
		if best >= 0.8 {
			found++
		}
	}
	precision, recall = share(right, copies), share(found, expected)
	t.Logf("%-12s %d pages, %d copies (%d by bytes, %d by body, %d near): precision %.3f, recall %.3f; wrongly discarded %.2f%% by an equal body, %.2f%% as near; missed at 0.9 %.2f%%",
		name, len(c.pages), copies, levels[LevelBytes], levels[LevelBody], levels[LevelNear], precision, recall,
		100*share(wrong[LevelBody], len(c.pages)), 100*share(wrong[LevelNear], len(c.pages)), 100*share(missed, alike))
	return precision, recall
}

// library is records with their texts.
type library struct {
	records
	texts map[DocID]Text
}

func (l *library) Text(doc DocID) (Text, bool, error) {
	t, ok := l.texts[doc]
	return t, ok, nil
}

// exact returns the Jaccard coefficient of the bodies that were signed.
func exact(c *collection) func(i, j int) float64 {
	readings, titled := make([]*reading, len(c.pages)), make([]*reading, len(c.pages))
	for i, p := range c.pages {
		readings[i] = read(&p.text)
		titled[i] = read(&Text{Body: p.text.Title + "\n" + p.text.Body})
	}
	return func(i, j int) float64 {
		// A pair that shares 0.8 agrees in 115 of 128 values, give or take 3.4.
		a, b := c.pages[i].sig, c.pages[j].sig
		if sketch.Agree(a.Sketch, b.Sketch) < 96 {
			return 0
		}
		// The title is no line of the text that is compared: where two pages have two, it
		// is a part of what they say.
		if c.pages[i].text.Title != c.pages[j].text.Title {
			return titled[i].resemblance(titled[j])
		}
		return readings[i].resemblance(readings[j])
	}
}

// collect reads a tree of pages and its truth.
func collect(t *testing.T, name string, cut func(page []byte) *purify.DocView) *collection {
	t.Helper()
	c := &collection{pairs: map[[2]int]float64{}}
	sets := map[string]int{}
	table(t, name+".sets.tsv.gz", func(f []string) { sets[f[1]] = integer(t, f[0]) })
	table(t, name+".pairs.tsv.gz", func(f []string) {
		a, b := integer(t, f[0]), integer(t, f[1])
		j, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		c.pairs[[2]int{min(a, b), max(a, b)}] = j
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
		c.pages = append(c.pages, collected{path, set, Sign(payload, view), TextOf(view)})
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

func integer(t *testing.T, s string) int {
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

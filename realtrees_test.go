package gatecrawl_test

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/suite"
	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// pagesData is where the real trees lie, next to the repository; they are not
// part of it.
const pagesData = "../shared/data/pages"

// TestRealTrees crawls three trees of real pages, served on loopback, and
// judges the gate by the exact resemblance of their main texts. Its log is the
// table in docs/measurements.md:
//
//	go test -run TestRealTrees -v .
func TestRealTrees(t *testing.T) {
	slow.Test(t, "crawls 6,000 pages")
	if _, err := os.Stat(pagesData); err != nil {
		t.Skip("needs the real trees next to the repository:", err)
	}
	for _, c := range []struct {
		tree      string
		precision float64 // at least; a drop is to be looked at
		recall    float64
		workers   int // with one the order of pages is the same each time
	}{
		{"manual", .94, .86, 32},  // .863 to .902 by the order of pages; versions that changed by a fifth and sibling functions are wrong, docs/measurements.md
		{"project", .94, .77, 32}, // chapters that are still to be written are copies by their main texts, and two to the gate
		{"guide-zh", .90, .50, 1}, // 9 of 17; with 32 workers 7 to 9 of 17 or 18
	} {
		t.Run(c.tree, func(t *testing.T) {
			dir := slow.TempDir(t)
			untar(t, filepath.Join(pagesData, c.tree+".tar.gz"), dir)
			records, took := crawlFolders(t, c.workers, testserver.Folder{Dir: filepath.Join(dir, c.tree), Name: "tree"})
			j := readTruth(t, c.tree).judge(records)
			t.Logf("%s: %d documents in %.1f s (%.0f pages/s); %d copies: precision %.3f (%d of %d, %d more too brief to tell), recall %.3f (%d of %d); wrongly discarded %.2f%%; missed at J >= .9 %.2f%%",
				c.tree, j.documents, took.Seconds(), float64(len(records))/took.Seconds(), j.claimed,
				j.precision(), j.right, j.right+len(j.wrong), j.brief, share(j.found, j.expected), j.found, j.expected,
				100*share(len(j.wrong), j.documents), 100*share(j.missed, j.documents))
			if envIs("GATECRAWL_WRONG", "all") {
				t.Logf("discarded for a page that does not resemble it:\n%s", strings.Join(j.wrong, "\n"))
			}
			if p := j.precision(); p < c.precision {
				t.Errorf("precision %.3f, want %.2f", p, c.precision)
			}
			if r := share(j.found, j.expected); r < c.recall {
				t.Errorf("recall %.3f, want %.2f", r, c.recall)
			}
		})
	}
}

func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// untar unpacks a compressed archive of regular files.
func untar(t *testing.T, archive, dir string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := root.MkdirAll(filepath.Dir(h.Name), 0o755); err != nil {
			t.Fatal(err)
		}
		w, err := root.Create(h.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, r); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// crawlFolders serves folders and crawls them.
func crawlFolders(t *testing.T, workers int, folders ...testserver.Folder) ([]page.Record, time.Duration) {
	t.Helper()
	web, err := testserver.New(testserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if err := web.AddFolder(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := web.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer web.Close()

	so := store.DefaultOptions()
	so.Delay, so.PerHost = 0, min(workers, 16)
	st, err := store.Open(slow.TempDir(t), so)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	f, err := fetch.New(fetch.Options{AllowLoopback: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scope, err := frontier.NewScope(frontier.DefaultScopeOptions())
	if err != nil {
		t.Fatal(err)
	}
	o := gatecrawl.DefaultOptions()
	o.Workers = workers
	c, err := gatecrawl.New(o, st, f, scope, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	seeds := seeds.Read(strings.NewReader(strings.Join(web.Seeds(), "\n")), "seeds")
	if _, err := c.Seed(t.Context(), seeds, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if ended, err := c.Run(t.Context()); err != nil || ended != gatecrawl.Done {
		t.Fatalf("Run = %q, %v", ended, err)
	}
	took := time.Since(start)
	var pages []page.Record
	if err := st.Pages(t.Context(), 1, func(p page.Record) error {
		pages = append(pages, p)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	suite.Verify(t, st)
	return pages, took
}

// A truth says which pages of a tree resemble each other. Pages of one set
// have equal shingles; near has the resemblance of sets from .8 on.
type truth struct {
	set  map[string]int
	near map[[2]int]float64

	tokens map[int]int // of a set's pages
}

func readTruth(t *testing.T, tree string) truth {
	t.Helper()
	tr := truth{set: make(map[string]int), near: make(map[[2]int]float64), tokens: make(map[int]int)}
	for f := range tsv(t, filepath.Join(pagesData, tree+".sets.tsv.gz")) {
		n, err := strconv.Atoi(f[0])
		if err != nil {
			t.Fatal(err)
		}
		tr.set[f[1]] = n
		if tr.tokens[n], err = strconv.Atoi(f[2]); err != nil {
			t.Fatal(err)
		}
	}
	for f := range tsv(t, filepath.Join(pagesData, tree+".pairs.tsv.gz")) {
		a, errA := strconv.Atoi(f[0])
		b, errB := strconv.Atoi(f[1])
		j, errJ := strconv.ParseFloat(f[2], 64)
		if errA != nil || errB != nil || errJ != nil {
			t.Fatal(f, errA, errB, errJ)
		}
		tr.near[[2]int{min(a, b), max(a, b)}] = j
	}
	return tr
}

// tsv reads a compressed file of tab-separated lines.
func tsv(t *testing.T, name string) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(z); lines.Scan(); {
			if fields := strings.Split(lines.Text(), "\t"); len(fields) >= 3 && !yield(fields) {
				return
			}
		}
	}
}

// resemblance returns the Jaccard of two sets; 0 where it is below .8.
func (tr truth) resemblance(a, b int) float64 {
	if a == b {
		return 1
	}
	return tr.near[[2]int{min(a, b), max(a, b)}]
}

// A judgement compares a crawl's verdicts with the truth.
type judgement struct {
	documents       int      // records that are documents
	claimed         int      // copy verdicts
	judged, right   int      // of these: both pages are in the truth; they resemble each other
	expected, found int      // documents that resemble a kept one before them; of these, called copies rightly
	missed          int      // documents that resemble a kept one by .9 or more, and were kept
	brief           int      // of those judged: not right, and too brief for their resemblance to tell
	wrong           []string // of those judged: the others, the page and the one that it was discarded for
}

func (j judgement) precision() float64 { return share(j.right, j.right+len(j.wrong)) }

func (tr truth) judge(pages []page.Record) judgement {
	var j judgement
	var kept []int
	for _, p := range pages {
		if p.Verdict != page.VerdictNew && p.Verdict != page.VerdictCopy {
			continue
		}
		j.documents++
		set, known := tr.setOf(p.URL)
		best := 0.0
		for _, k := range kept {
			best = max(best, tr.resemblance(set, k))
		}
		if known && best >= .8 {
			j.expected++
		}
		if p.Verdict == page.VerdictNew {
			if known {
				kept = append(kept, set)
				if best >= .9 {
					j.missed++
				}
			}
			continue
		}
		j.claimed++
		of, ofKnown := tr.setOf(p.Of)
		if !known || !ofKnown {
			continue
		}
		j.judged++
		if tr.resemblance(set, of) >= .8 {
			j.right++
			if best >= .8 {
				j.found++
			}
		} else if tr.brief(set) || tr.brief(of) {
			j.brief++
		} else {
			j.wrong = append(j.wrong, p.URL+" of "+p.Of)
		}
	}
	return j
}

// brief reports whether the pages of a set have so few tokens that one word more takes a fifth of
// their shingles: the layout of another version joins "a: array_like" to one word, and the name of
// a stub is in a quarter of its shingles. The resemblance of such pages is no judgement.
func (tr truth) brief(set int) bool { return tr.tokens[set] < 60 }

// setOf returns the set of a URL of the tree.
func (tr truth) setOf(address string) (int, bool) {
	u, err := url.Parse(address)
	if err != nil {
		panic(fmt.Sprint("record with no address: ", address))
	}
	path := strings.TrimPrefix(u.Path, "/")
	for _, p := range []string{path, path + "index.html"} {
		if set, ok := tr.set[p]; ok {
			return set, true
		}
	}
	return 0, false
}

// TestOwnTree crawls a folder of HTML files of your choice four times over: as
// it is, as a whole mirror, as a partial one under a prefix, and half of it in
// another layout. Its log tells what the gate made of it, and holds each near
// copy against the exact resemblance of the two bodies:
//
//	GATECRAWL_TREE=DIR go test -run TestOwnTree -v .
func TestOwnTree(t *testing.T) {
	dir := os.Getenv("GATECRAWL_TREE")
	if dir == "" {
		t.Skip("GATECRAWL_TREE names no folder")
	}
	records, took := crawlFolders(t, 32,
		testserver.Folder{Dir: dir, Name: "plain"},
		testserver.Folder{Dir: dir, Name: "mirror"},
		testserver.Folder{Dir: dir, Name: "partial", Prefix: "/mirrors/tree/", Share: .4},
		testserver.Folder{Dir: dir, Name: "layout", Form: testserver.FormLayout, Share: .5},
	)
	survey, err := mirror.NewSurvey(mirror.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	groups := make(map[string][]string)
	counts := make(map[string]int)
	near, wrong := 0, 0
	for _, p := range records {
		counts[string(p.Verdict)]++
		if p.Verdict != page.VerdictNew && p.Verdict != page.VerdictCopy {
			continue
		}
		u, err := url.Parse(p.URL)
		if err != nil {
			t.Fatal(err)
		}
		survey.Add(survey.Site("http://"+u.Host), mirror.Document{Path: u.Path})
		kept := p.URL
		if p.Verdict == page.VerdictCopy {
			kept = p.Of
			counts[fmt.Sprintf("level %d", p.Level)]++
			counts[p.Class]++
		}
		k, err := url.Parse(kept)
		if err != nil {
			t.Fatal(err)
		}
		if groups[kept] == nil {
			groups[kept] = []string{k.Host}
		}
		if p.Verdict == page.VerdictNew {
			continue
		}
		groups[kept] = append(groups[kept], u.Host)
		if p.Level == 5 {
			near++
			if j := resemblanceOfFiles(t, dir, u.Path, k.Path); j < .8 {
				wrong++
				t.Logf("near at J %.3f, distance %d: %s of %s", j, p.Distance, p.URL, p.Of)
			}
		}
	}
	shared := survey.Hosts()
	for _, hosts := range groups {
		shared.Group(hosts)
	}
	t.Logf("%d records in %.1f s: %v", len(records), took.Seconds(), counts)
	t.Logf("%d near copies, %d of them at a resemblance below .8", near, wrong)
	for _, p := range shared.Pairs() {
		t.Logf("%s (%d documents) and %s (%d): %d of the latter shared, %.1f%%", p.A, p.PagesA, p.B, p.PagesB, p.Shared, 100*p.Overlap)
	}
}

// resemblanceOfFiles returns the exact Jaccard of the 3-shingles of two bodies.
func resemblanceOfFiles(t *testing.T, dir, a, b string) float64 {
	t.Helper()
	x, y := shinglesOf(t, dir, a), shinglesOf(t, dir, b)
	both := 0
	for s := range x {
		if y[s] {
			both++
		}
	}
	return share(both, len(x)+len(y)-both)
}

// shinglesOf returns the 3-shingles of words, and of single characters beyond
// ASCII, of a page's body.
func shinglesOf(t *testing.T, dir, path string) map[string]bool {
	t.Helper()
	path = strings.TrimPrefix(path, "/mirrors/tree")
	if strings.HasSuffix(path, "/") {
		path += "index.html"
	}
	html, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	var tokens []string
	word := ""
	for _, r := range strings.ToLower(purify.Purify(html, "text/html").Body) + " " {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			word += string(r)
			continue
		case word != "":
			tokens = append(tokens, word)
			word = ""
		}
		if r > 127 {
			tokens = append(tokens, string(r))
		}
	}
	set := make(map[string]bool)
	for i := range max(0, len(tokens)-2) {
		set[strings.Join(tokens[i:i+3], " ")] = true
	}
	return set
}

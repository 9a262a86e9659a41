package gatecrawl_test

import (
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/testserver/env"
)

// TestOrderOfManuals crawls sites, such as the manuals that bench/debiandocs.sh has unpacked, from five pages drawn
// at random, and from the front page and four such, and says how much of a site's PageRank the first tenth of its
// pages has, with cash and breadth first:
//
//	bench/debiandocs.sh ../debiandocs python3-doc python-django-doc sqlite3-doc python-sqlalchemy-doc erlang-doc
//	GATECRAWL_DEBIANDOCS=../debiandocs go test -run TestOrderOfManuals -v .
func TestOrderOfManuals(t *testing.T) {
	sites := manualsIn(t)
	draws := env.Number(t, "GATECRAWL_DRAWS", 3)
	from := []string{"five pages", "the front page and four"}
	sum := make([]float64, len(from)) // of the gains
	for _, m := range sites {
		whole := crawlInOrder(t, m.root(), priority.DefaultOptions(), 0, "/")
		rank := pageRank(whole.links, whole.pages)
		slices.Sort(whole.pages) // so that the draws do not depend on the order that is measured
		tenth := (len(whole.pages) + 9) / 10
		for kind, name := range from {
			var got [2]float64
			for draw := range draws {
				rng := rand.New(rand.NewPCG(uint64(draw), 15))
				start := []string{"/"}[:kind]
				for len(start) < 5 {
					start = append(start, whole.pages[rng.IntN(len(whole.pages))])
				}
				for i, cash := range []float32{priority.DefaultOptions().Cash, 0} {
					o := priority.DefaultOptions()
					o.Cash = cash
					pages := crawlInOrder(t, m.root(), o, tenth, start...).pages // fewer are reached from some
					for _, p := range pages[:min(tenth, len(pages))] {
						got[i] += rank[p] / float64(draws)
					}
				}
			}
			gain := got[0] - got[1]
			t.Logf("%-24s %5d pages, from %s: the first tenth has %.3f of PageRank, breadth first %.3f: %+.3f", m.name, len(whole.pages), name, got[0], got[1], gain)
			sum[kind] += gain / float64(len(sites))
			if gain < -.005 {
				t.Errorf("%s: cash is worse than breadth first from %s", m.name, name)
			}
		}
	}
	t.Logf("mean of %d sites: %+.3f from %s, %+.3f from %s", len(sites), sum[0], from[0], sum[1], from[1])
	if sum[0] < .02 {
		t.Errorf("cash gains %.3f, want .02", sum[0])
	}
}

// A manual is a folder of pages.
type manual struct{ name, dir string }

func (m manual) root() *os.Root {
	r, err := os.OpenRoot(m.dir)
	if err != nil {
		panic(err) // it was listed a moment ago
	}
	return r
}

// manualsIn returns the manuals in the folder that the environment names.
func manualsIn(t *testing.T) (ms []manual) {
	t.Helper()
	dir := os.Getenv("GATECRAWL_DEBIANDOCS")
	if dir == "" {
		t.Skip("GATECRAWL_DEBIANDOCS names no folder; bench/debiandocs.sh makes one")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			ms = append(ms, manual{e.Name(), filepath.Join(dir, e.Name())})
		}
	}
	return ms
}

// A walk is a crawl of one site: the paths of its documents in the order in which they were
// fetched, and the links between them.
type walk struct {
	pages []string
	links map[string][]string
}

// crawlInOrder crawls a folder as one site.
func crawlInOrder(t *testing.T, dir *os.Root, o priority.Options, most int, start ...string) walk {
	t.Helper()
	defer dir.Close()
	return crawlSite(t, fileServer(dir), o, most, start...)
}

// crawlSite crawls a site with one worker, so that nothing but the scores decides about the order.
func crawlSite(t *testing.T, site http.Handler, o priority.Options, most int, start ...string) walk {
	t.Helper()
	srv := httptest.NewServer(site)
	defer srv.Close()
	so := store.DefaultOptions()
	so.Delay, so.Mirrors, so.Priority = 0, mirror.ModeOff, o
	so.Rules.Learn = "off"
	st, err := store.Open(t.TempDir(), so)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	f, err := fetch.New(fetch.Options{AllowLoopback: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scope, err := frontier.NewScope(frontier.DefaultScopeOptions())
	if err != nil {
		t.Fatal(err)
	}
	co := gatecrawl.DefaultOptions()
	co.Workers, co.Spare, co.Soft404, co.ObeyMeta, co.MaxPages = 1, 0, false, false, int64(2*most)
	co.Mode = dedup.ModeDiscard
	c, err := gatecrawl.New(co, st, f, scope, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	w := walk{links: make(map[string][]string)}
	path := func(url string) string { return strings.TrimPrefix(url, srv.URL) }
	var mu sync.Mutex
	c.SetHooks(gatecrawl.Hooks{
		Link: func(l *gatecrawl.Link) {
			mu.Lock()
			defer mu.Unlock()
			from := path(l.From.String())
			to := path(l.URL.String())
			if folder, index := strings.CutSuffix(to, "/index.html"); index {
				to = folder + "/" // where fileServer redirects it to
			}
			w.links[from] = append(w.links[from], to)
		},
		Page: func(s gatecrawl.Settled) {
			mu.Lock()
			defer mu.Unlock()
			if s.Verdict == page.VerdictNew && s.View != nil && strings.HasPrefix(s.Type, "text/html") {
				w.pages = append(w.pages, path(s.URL))
			}
		},
	})
	var list []string
	for _, p := range start {
		list = append(list, srv.URL+p)
	}
	if _, err := c.Seed(t.Context(), seeds.Read(strings.NewReader(strings.Join(list, "\n")), "seeds"), func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// pageRank returns the PageRank of pages by the links among them; all together have 1.
func pageRank(links map[string][]string, pages []string) map[string]float64 {
	const damping, rounds = .85, 60
	in := make(map[string]bool, len(pages))
	rank := make(map[string]float64, len(pages))
	for _, p := range pages {
		in[p] = true
		rank[p] = 1 / float64(len(pages))
	}
	out := make(map[string][]string, len(pages))
	for _, p := range pages {
		to := make(map[string]bool)
		for _, q := range links[p] {
			if in[q] && q != p {
				to[q] = true
			}
		}
		out[p] = slices.Sorted(maps.Keys(to))
	}
	for range rounds {
		next := make(map[string]float64, len(pages))
		lost := 0.
		for _, p := range pages {
			if len(out[p]) == 0 {
				lost += rank[p]
			}
			for _, q := range out[p] {
				next[q] += damping * rank[p] / float64(len(out[p]))
			}
		}
		for _, p := range pages {
			next[p] += (1 - damping + damping*lost) / float64(len(pages))
		}
		rank = next
	}
	return rank
}

// fileServer serves the files of a folder; a folder in it answers with its index.html.
func fileServer(dir *os.Root) http.Handler { return http.FileServerFS(dir.FS()) }

// htmlIn lists the pages in a folder and the folders in it, by name.
func htmlIn(t *testing.T, dir fs.FS) (names []string) {
	t.Helper()
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(name, ".html") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

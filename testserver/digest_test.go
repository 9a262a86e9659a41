package testserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/testserver/dustsites"
	"gatecrawl.example/gatecrawl/testserver/farm"
	"gatecrawl.example/gatecrawl/testserver/moves"
	"gatecrawl.example/gatecrawl/testserver/theme"
)

// answers hashes a site's responses to the paths.
func answers(h hash.Hash, site http.Handler, paths []string) {
	for _, path := range paths {
		rw := httptest.NewRecorder()
		site.ServeHTTP(rw, request(path))
		fmt.Fprintf(h, "%s %d %s\n", path, rw.Code, rw.Header().Get("Location"))
		h.Write(rw.Body.Bytes())
	}
}

// reached lists at most n paths that links lead to from the root.
func reached(site http.Handler, n int) []string {
	paths := []string{"/"}
	for i := 0; i < len(paths) && len(paths) < n; i++ {
		rw := httptest.NewRecorder()
		site.ServeHTTP(rw, request(paths[i]))
		for _, href := range hrefs(rw.Body.String()) {
			if !slices.Contains(paths, href) {
				paths = append(paths, href)
			}
		}
	}
	return paths
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil))[:16] }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestTheBytesOfASeedAreThoseOfEarlierReleases(t *testing.T) {
	t.Parallel()
	got := make(map[string]string)
	for name, o := range map[string]Options{"web/demo": Demo(), "web/bench": Bench(4, 60), "web/seed 7": withSeed(quick(), 7)} {
		w, truth := shared(t, o)
		h := sha256.New()
		var seeds, sites = w.Seeds(), w.Sites()
		_ = json.NewEncoder(h).Encode([]any{seeds, sites, truth})
		for _, s := range w.sites {
			fmt.Fprintln(h, s.name, w.robots(s), w.sitemap(s, 0), w.sitemap(s, 1))
			for _, p := range w.pagesOf(s) {
				if p.document() {
					h.Write(w.render(nil, p))
				}
			}
		}
		for _, p := range truth.Pages {
			text, _ := w.Text(p.URL)
			fmt.Fprintln(h, text)
		}
		got[name] = sum(h)
	}
	h := sha256.New()
	for _, s := range must(theme.New(theme.Options{Seed: 3, Posts: 14, Banner: true})) {
		var paths []string
		for _, p := range s.Pages {
			paths = append(paths, p.Path)
			fmt.Fprintln(h, p.Path, p.Class, p.Title, p.Text, p.Links, p.Subject)
		}
		answers(h, s.Handler(), append(paths, "/robots.txt", "/no/such/page"))
	}
	got["theme"] = sum(h)

	h = sha256.New()
	doc := must(farm.New(farm.Options{Seed: 3, Families: 13, Pages: 22}))
	for _, s := range doc.Sites {
		paths := []string{"/robots.txt", "/none"}
		for _, p := range s.Pages {
			paths = append(paths, p.Path)
		}
		answers(h, s.Handler(func(name string) string { return "http://" + name }), paths)
	}
	for _, r := range doc.Relations {
		fmt.Fprintln(h, r)
	}
	got["farm"] = sum(h)

	h = sha256.New()
	for i, o := range []dustsites.Options{
		{Seed: 1, Pages: 40, Links: 5, Patterns: dustsites.Patterns[:5], Strict: true}, {Seed: 2, Pages: 40, Links: 9, Patterns: []string{"slash", "index", "front-page"}, Endless: true},
		{Seed: 3, Pages: 60, Links: 20, Patterns: []string{"case", "extension", "segment", "print-path", "print-parameter", "amp", "campaign", "prefix", "tilde", "first-page", "sometimes", "revision", "action", "pages"}},
		{Seed: 4, Pages: 30, Links: 4, Patterns: []string{"query-of-id", "order"}},
	} {
		d := must(dustsites.New(o))
		paths := reached(d, 300)
		answers(h, d, paths)
		for _, p := range paths {
			n, ok := d.Document(p)
			fmt.Fprintln(h, i, p, n, ok)
		}
	}
	got["dust"] = sum(h)

	h = sha256.New()
	thisPage := must(moves.New(moves.Options{Seed: 4, Pages: 9}))
	paths := []string{"/", "/none"}
	for _, p := range thisPage.Pages {
		paths = append(paths, p.Old, p.New+"?")
		fmt.Fprintln(h, p, p.Partial(), p.Lost())
	}
	answers(h, thisPage.Site(), paths)
	answers(h, thisPage.Mirror(), paths)
	thisPage.Move()
	answers(h, thisPage.Site(), append(paths, reached(thisPage.Site(), 500)...))
	got["moves"] = sum(h)

	h = sha256.New()
	m := must(dustsites.NewManual(dustsites.ManualOptions{Seed: 5, Sections: 6, Pages: 7}))
	answers(h, m, reached(m, 1000))
	got["manual"] = sum(h)

	want := map[string]string{
		"web/demo": "ac85be1e0d8bd87e", "web/bench": "f98ce0c771fbd625", "web/seed 7": "4afbc7538d677285",
		"theme": "69c25fd63778f354", "farm": "ec994991441ed176", "dust": "5628449794da668b", "moves": "f47eccd4089536dc", "manual": "10ae4efda5ff05ad",
	}
	for name := range got {
		if got[name] != want[name] {
			t.Errorf("%q: %q, want %q", name, got[name], want[name])
		}
	}
}

func request(path string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.RequestURI = path
	if u, err := r.URL.Parse(path); err == nil && path != "" {
		r.URL = u
	}
	return r
}

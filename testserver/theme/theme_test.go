package theme

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

func sites(t *testing.T, o Options) []*Site {
	t.Helper()
	sites, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return sites
}

// get returns the page of a path.
func get(t *testing.T, s *Site, path string) (status int, body string) {
	t.Helper()
	rw := httptest.NewRecorder()
	s.Handler().ServeHTTP(rw, httptest.NewRequest("GET", path, nil))
	b, err := io.ReadAll(rw.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return rw.Code, string(b)
}

func TestThemedPagesHaveTheirOwnTextAndASharedFrame(t *testing.T) {
	for _, s := range sites(t, Options{Seed: 1, Posts: 16}) {
		own, all := 0, 0
		classes := make(map[string]int)
		for _, p := range s.Pages {
			classes[p.Class]++
			status, page := get(t, s, p.Path)
			root, err := html.Parse(strings.NewReader(page))
			if err != nil || status != 200 {
				t.Fatalf("%s%s: status %d, %v", s.Name, p.Path, status, err)
			}
			var text strings.Builder
			for n := range root.Descendants() {
				if n.Type == html.TextNode {
					text.WriteString(n.Data + " ")
				}
			}
			words := " " + strings.Join(strings.Fields(text.String()), " ") + " "
			for _, b := range p.own {
				for _, piece := range []string{b.text, b.date, b.rest} {
					if !strings.Contains(words, strings.Join(strings.Fields(piece), " ")) {
						t.Errorf("%s%s: its page does not have its own text %q", s.Name, p.Path, piece)
					}
				}
			}
			if !strings.Contains(words, strings.Fields(s.title)[0]) {
				t.Errorf("%s%s: the page does not have the site's name", s.Name, p.Path)
			}
			if p.Class != "post" && p.Class != "note" {
				own += corpus.Tokens(p.Text)
				all += corpus.Tokens(words)
			}
			if strings.Contains(page, "%!") {
				t.Errorf("%s%s: a format went wrong: %s", s.Name, p.Path, page[strings.Index(page, "%!"):][:40])
			}
		}
		t.Logf("%-12s %4d pages, %2d%% of the words of pages that are no posts are their own: %v", s.Name, len(s.Pages), 100*own/max(1, all), classes)
		if status, page := get(t, s, "/no/such/page"); status != 404 || !strings.Contains(page, s.words.missing) {
			t.Errorf("%s: a path that is not there is answered with %d", s.Name, status)
		}
	}
}

func TestThemedSitesOfASeedAreTheSame(t *testing.T) {
	a, b := sites(t, Options{Seed: 5, Posts: 12}), sites(t, Options{Seed: 5, Posts: 12})
	for i := range a {
		for k := range a[i].Pages {
			p, q := &a[i].Pages[k], &b[i].Pages[k]
			if p.Path != q.Path || p.Text != q.Text || a[i].html(p, "") != b[i].html(q, "") {
				t.Fatalf("%s%s and %s differ", a[i].Name, p.Path, q.Path)
			}
		}
	}
}

func TestABannerComesWhenHalfOfTheSiteWasAskedFor(t *testing.T) {
	s := sites(t, Options{Seed: 1, Posts: 12, Banner: true})[0]
	for i := range s.Pages {
		_, page := get(t, s, s.Pages[i].Path)
		if has := strings.Contains(page, html.EscapeString(s.banner)); has != (i >= len(s.Pages)/2) {
			t.Fatalf("request %d of %d: banner is %v", i+1, len(s.Pages), has)
		}
	}
}

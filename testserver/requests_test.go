package testserver

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/testserver/score"
)

func TestTrafficCountsGapsAndConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c traffic
		asked := time.Now()
		for _, at := range []time.Duration{0, 5 * time.Second, 7 * time.Second, 20 * time.Second} {
			time.Sleep(at - time.Since(asked)) // synctest's clock
			c.start("/a", time.Now())
		}
		c.end()
		c.end()
		c.start("/b", time.Now().Add(time.Minute))
		got := c.report("s")
		if got.Requests != 5 || got.MinGap != 2*time.Second || got.Concurrent != 4 || got.Paths["/a"] != 4 || got.Paths["/b"] != 1 {
			t.Errorf("traffic is %+v", got)
		}
		c.reset()
		if got := c.report("s"); got.Requests != 0 || got.MinGap != 0 || got.Concurrent != 3 || len(got.Paths) != 0 {
			t.Errorf("after reset traffic is %+v; three requests are still under way", got)
		}
	})
}

func TestTheRequestLogKeepsTheLatest(t *testing.T) {
	d := requestLog{size: 3}
	for i := range 5 {
		d.add(Request{Path: fmt.Sprint(i)})
		var got []string
		for _, r := range d.all() {
			got = append(got, r.Path)
		}
		if want := "0 1 2 3 4"[max(0, i-2)*2 : i*2+1]; strings.Join(got, " ") != want {
			t.Errorf("after %d requests the log has %v, want %s", i+1, got, want)
		}
	}
	(&requestLog{}).add(Request{})
}

func TestRequestsAreLoggedAndScored(t *testing.T) {
	w := made(t, oneHost())
	start(t, w)
	root := w.Sites()[0].URL
	get := func(method, path string) *http.Response {
		t.Helper()
		req, err := http.NewRequest(method, root+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", "walker/1")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if method == "HEAD" && (len(body) > 0 || res.ContentLength < 1000) {
			t.Errorf("HEAD /%s: %d bytes, Content-Length %d", path, len(body), res.ContentLength)
		}
		return res
	}
	get("GET", "")
	get("GET", "")
	get("HEAD", "elsewhere.html")
	get("GET", "private/")
	if res := get("POST", "elsewhere.html"); res.StatusCode != 405 {
		t.Errorf("POST is answered with %d", res.StatusCode)
	}
	got := w.Requests()
	if len(got) != 5 || got[0].Path != "/" || got[3].Path != "/private/" || got[0].Agent != "walker/1" || got[0].Status != 200 || got[0].Site != w.Sites()[0].Name {
		t.Errorf("Requests() = %+v", got)
	}
	r := w.Score(nil)
	if len(r.Twice) != 2 || len(r.Forbidden) != 1 || r.Fetched != 2 {
		t.Errorf("Score: twice %v, forbidden %v, fetched %d; want 2, 1, 2", r.Twice, r.Forbidden, r.Fetched)
	}
	w.Reset()
	if got := w.Traffic()[0]; got.Requests != 0 || len(w.Requests()) != 0 {
		t.Errorf("after Reset: %+v", got)
	}
}

func TestRobotsAndSitemapsSayWhatIsThere(t *testing.T) {
	w := made(t, Demo())
	start(t, w)
	c := newWalker(t)
	truth := w.Truth()
	documents := map[string]bool{}
	for _, p := range truth.Pages {
		if p.Group != 0 && p.Kind != score.KindTrap {
			documents[p.URL] = true
		}
	}
	delays := 0
	for _, s := range w.Sites() {
		robots := string(c.fetch(t, s.URL+"robots.txt").body)
		for _, want := range []string{"Disallow: /private/", "Allow: /private/open/", "Disallow: /*?print=", "Sitemap: " + s.URL + "sitemap.xml"} {
			if !strings.Contains(robots, want) {
				t.Errorf("%s: robots.txt does not say %q", s.Name, want)
			}
		}
		if strings.Contains(robots, "Crawl-delay: 0.5\n") {
			delays++
		}
		index := string(c.fetch(t, s.URL+"sitemap.xml").body)
		for _, file := range locations(index) {
			for _, loc := range locations(string(c.fetch(t, file).body)) {
				if !documents[loc] {
					t.Errorf("%s: the sitemap has %s, which is no document", s.Name, loc)
				}
				delete(documents, loc)
			}
		}
	}
	if delays != 1 || len(documents) != 0 {
		t.Errorf("%d sites have a Crawl-delay, %d documents are in no sitemap", delays, len(documents))
	}
}

func locations(sitemap string) []string {
	var locs []string
	for _, part := range strings.Split(sitemap, "<loc>")[1:] {
		loc, _, _ := strings.Cut(part, "</loc>")
		locs = append(locs, strings.ReplaceAll(loc, "&amp;", "&"))
	}
	return locs
}

func TestSlowPagesAreSlow(t *testing.T) {
	o := oneHost()
	o.SlowDelay = 50 * time.Millisecond
	w := made(t, o)
	start(t, w)
	c := newWalker(t)
	slow := 0
	for _, p := range w.Truth().Pages {
		if p.Kind != score.KindSlow {
			continue
		}
		slow++
		if asked := time.Now(); c.fetch(t, p.URL).status != 200 || time.Since(asked) < o.SlowDelay {
			t.Errorf("%s answered in %v", p.URL, time.Since(asked))
		}
	}
	if slow == 0 {
		t.Error("no slow pages")
	}
}

func TestTheWebServesManyAtOnce(t *testing.T) {
	w := made(t, quick())
	start(t, w)
	pages := w.Truth().Pages
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := worker; i < len(pages); i += 8 * 5 {
				res, err := http.Get(pages[i].URL)
				if err != nil && pages[i].Kind != score.KindRedirect { // the loop is an error
					t.Errorf("Get(%q): %v", pages[i].URL, err)
				}
				if err == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
			}
		})
	}
	wg.Wait()
}

package render

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/fetch/access"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func TestScriptsAskOtherSitesWithoutCredentials(t *testing.T) {
	var mu sync.Mutex
	asked := make(map[string]string) // the key that came with the last request, by site and path
	page := ""
	start := func(name string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked[name+r.URL.Path] = "key " + r.Header.Get("X-Key")
			mu.Unlock()
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Access-Control-Allow-Origin", "*")
			if r.URL.Path == "/" {
				fmt.Fprint(w, page)
				return
			}
			fmt.Fprint(w, "data")
		}))
		t.Cleanup(s.Close)
		return s
	}
	own, other := start("own"), start("other")
	page = `<p id=p>none</p><script>Promise.all([fetch("/data"), fetch("` + other.URL + `/data").catch(() => 0)]).then(() => { p.textContent = "ran" })</script>`
	g := &access.Grants{}
	for site, key := range map[string]string{own.URL: "own", other.URL: "other"} {
		h, err := access.ParseHeader(strings.TrimPrefix(site, "http://") + ":X-Key=" + key)
		if err != nil {
			t.Fatal(err)
		}
		g.Headers = append(g.Headers, h)
	}
	f, err := fetch.New(fetch.Options{AllowLoopback: true, Grants: g})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	e := newEngine(t, Defaults())
	e.fetch = f.Fetch
	u, err := weburl.Parse(own.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Fetch(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	if html, err := e.Render(t.Context(), r, fetch.Manners{}); err != nil || !strings.Contains(string(html), "ran") {
		t.Fatalf("%s, %v", html, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if asked["own/data"] != "key own" || asked["other/data"] != "key " {
		t.Errorf("asked %v: want the page's own site with its key, the other without", asked)
	}
}

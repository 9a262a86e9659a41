package gatecrawl_test

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/suite"
	"gatecrawl.example/gatecrawl/testserver/farm"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// A pasture is a farm that is served.
type pasture struct {
	*farm.Farm
	origin map[string]string // by the name of the site
	site   map[string]*farm.Site
}

func serveFarm(t testing.TB, o farm.Options, kinds ...string) *pasture {
	t.Helper()
	f, err := farm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	p := &pasture{f, make(map[string]string), make(map[string]*farm.Site)}
	f.Sites = slices.DeleteFunc(f.Sites, func(s *farm.Site) bool {
		return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k string) bool { return strings.HasPrefix(s.Name, k) })
	})
	ips := make(map[string]string) // sites of one registrable domain are on one
	for _, s := range f.Sites {
		owner := strings.TrimPrefix(s.Name, "www.")
		if ips[owner] == "" {
			ips[owner] = fmt.Sprintf("127.46.%d.%d", 1+len(ips)/200, 1+len(ips)%200)
		}
		l, err := net.Listen("tcp", ips[owner]+":0")
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewUnstartedServer(s.Handler(func(name string) string { return p.origin[name] }))
		srv.Listener.Close()
		srv.Listener = l
		srv.Start()
		t.Cleanup(srv.Close)
		p.origin[s.Name], p.site[srv.URL] = srv.URL, s
	}
	return p
}

// crawlFarm crawls all of a farm and returns the totals, and how many of its
// contents no page was fetched of.
func crawlFarm(t testing.TB, p *pasture, mode mirror.Mode) (page.Totals, int, []mirror.Pair) {
	t.Helper()
	so := store.DefaultOptions()
	so.Delay, so.PerIP, so.Mirrors = 0, 0, mode
	st, err := store.Open(slow.TempDir(t), so)
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
	o := gatecrawl.DefaultOptions()
	o.LoopbackOnly = true
	c, err := gatecrawl.New(o, st, f, scope, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for _, s := range p.Sites {
		list.WriteString(p.origin[s.Name] + "/\n")
	}
	if _, err := c.Seed(t.Context(), seeds.Read(strings.NewReader(list.String()), "farm"), func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	suite.Verify(t, st)
	seen := make(map[uint64]bool)
	if err := st.Pages(t.Context(), 1, func(pg page.Record) error {
		u, err := weburl.Parse(pg.URL)
		if err != nil {
			return err
		}
		if doc := p.site[u.Origin()].Page(u.RequestURI()); doc != nil && pg.Document() {
			seen[doc.Content] = true
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	lost := make(map[uint64]bool)
	for _, s := range p.Sites {
		for _, thisPage := range s.Pages {
			if thisPage.Redirect == "" && !seen[thisPage.Content] {
				lost[thisPage.Content] = true
			}
		}
	}
	pairs, err := st.Pairs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return st.Totals(), len(lost), pairs
}

func TestTheAddressesOfAMirrorAreNotAskedFor(t *testing.T) {
	t.Parallel()
	pages := 200
	if slow.Wanted() {
		pages = 400
	}
	p := serveFarm(t, farm.Options{Seed: 301, Families: 1, Pages: pages}, "f0", "exact", "prefix", "translation")
	watched, lost, _ := crawlFarm(t, p, mirror.ModeWatch)
	if lost != 0 || watched.Mirrors["deferred"] != 0 {
		t.Errorf("watch: %d contents lost and %d addresses deferred, want none", lost, watched.Mirrors["deferred"])
	}
	if watched.Mirrors["found"] == 0 {
		t.Error("watch: no mirror was found")
	}
	got, lost, pairs := crawlFarm(t, p, mirror.ModeOn)
	t.Logf("watch: %d fetched, %v; on: %d fetched, %v, %d contents lost", watched.Fetched, watched.Mirrors, got.Fetched, got.Mirrors, lost)
	if lost != 0 {
		t.Errorf("%d contents were never fetched", lost)
	}
	if saved := watched.Fetched - got.Fetched; saved < watched.Copies/4 {
		t.Errorf("%d of %d fetches were saved, want at least a quarter of the %d copies", saved, watched.Fetched, watched.Copies)
	}
	if got.Rules["mirror"] != got.Mirrors["deferred"]-got.Mirrors["reopened"] {
		t.Errorf("rules %v do not fit mirrors %v", got.Rules, got.Mirrors)
	}
	if !slices.ContainsFunc(pairs, func(p mirror.Pair) bool { return p.Deferred > 0 && p.Relation != nil && p.Class.Rewrites() }) {
		t.Errorf("no pair says what was deferred: %+v", pairs)
	}
}

// What looks like a mirror and is none: the same paths in another version or
// language. Longer with GATECRAWL_LONG set.
func TestNothingIsLostWhereSitesOnlyLookAlike(t *testing.T) {
	slow.Test(t, "crawls a farm twice")
	t.Parallel()
	o := farm.Options{Seed: 302, Families: 2, Pages: 150}
	if os.Getenv("GATECRAWL_LONG") != "" {
		o = farm.Options{Seed: 303, Families: 20, Pages: 400}
	}
	p := serveFarm(t, o)
	watched, _, _ := crawlFarm(t, p, mirror.ModeWatch)
	got, lost, _ := crawlFarm(t, p, mirror.ModeOn)
	contents := make(map[uint64]bool)
	for _, s := range p.Sites {
		for _, doc := range s.Pages {
			contents[doc.Content] = true
		}
	}
	t.Logf("%d sites, %d contents; watch: %d fetched, %d copies; on: %d fetched, %d copies, %v; %d contents lost", len(p.Sites), len(contents),
		watched.Fetched, watched.Copies, got.Fetched, got.Copies, got.Mirrors, lost)
	if lost*200 > len(contents) {
		t.Errorf("%d of %d contents were never fetched, want at most 1 of 200", lost, len(contents))
	}
}

// A near copy that is recognized by its bytes is not read. Its body is that of the copy that had the bytes first, by which it is equal to a
// copy under a banner.
func TestACopyKnownByItsBytesHasItsBody(t *testing.T) {
	t.Parallel()
	var origins []string
	f := &forgery{}
	for host := range 3 { // the last two have the same bytes
		l, err := net.Listen("tcp", fmt.Sprintf("127.47.1.%d:0", host+1))
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n := int(r.URL.Path[len(r.URL.Path)-1])
			text := f.text(n)
			if host > 0 {
				text = strings.Replace(text, " ", " another word ", 1)
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<title>Doc %d</title><p>%s</p>", n, text)
			for next := range 8 {
				fmt.Fprintf(w, `<a href="/p%d">l</a> `, next)
			}
		}))
		srv.Listener.Close()
		srv.Listener = l
		srv.Start()
		t.Cleanup(srv.Close)
		origins = append(origins, srv.URL)
	}
	j := crawlOf(t, origins[0]+"/")
	for _, o := range origins[1:] {
		if _, err := j.crawler.Seed(t.Context(), seeds.Read(strings.NewReader(o+"/"), "seeds"), func(err error) { t.Error(err) }); err != nil {
			t.Fatal(err)
		}
		j.run()
	}
	near := 0
	if err := j.store.Pages(t.Context(), 1, func(p page.Record) error {
		if p.Level != int(dedup.LevelNear) {
			return nil
		}
		if strings.HasPrefix(p.URL, origins[2]) {
			near++
		}
		if p.Body == 0 {
			t.Errorf("nothing is known of the body of %s, a near copy of %s", p.URL, p.Of)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if near < 5 {
		t.Errorf("%d near copies are known by their bytes, want most of 9", near)
	}
}

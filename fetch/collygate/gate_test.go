package collygate_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gocolly/colly/v2"
	"golang.org/x/text/encoding/charmap"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch/collygate"
)

// serve serves pages by path.
func serve(t testing.TB, pages map[string]string) string {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		switch {
		case !ok:
			http.NotFound(w, r)
		case strings.HasPrefix(page, "->"):
			http.Redirect(w, r, page[2:], http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, page)
		}
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// words are n words on a subject that no other has.
func words(subject string, n int) string {
	var b strings.Builder
	seed := fnv.New64a()
	seed.Write([]byte(subject))
	r := rand.New(rand.NewPCG(seed.Sum64(), 1))
	for range n {
		for range 3 + r.IntN(6) {
			b.WriteByte(byte('a' + r.IntN(26)))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// page is a page on a subject, with words besides.
func page(subject, besides string) string {
	return "<!DOCTYPE html><html><title>" + subject + "</title><body><article><h1>" + subject + "</h1><p>" + words(subject, 150) + besides + "</p></article></body></html>"
}

// start is a page that links to others.
func start(paths ...string) string {
	s := "<!DOCTYPE html><html><title>start</title><body><p>" + words("start", 100)
	for _, path := range paths {
		s += `<a href="` + path + `">` + path[1:] + "</a> "
	}
	return s
}

func TestCopiesAreNamedBeforeTheHandlersRun(t *testing.T) {
	site := serve(t, map[string]string{
		"/":     start("/bees", "/same", "/edited", "/clocks", "/moved", "/gone"),
		"/bees": page("bees", ""), "/same": page("bees", ""), "/edited": page("bees", "and wasps"), "/clocks": page("clocks", ""), "/moved": "->/far",
		"/far": page("bees", "and hornets"),
	})
	c := colly.NewCollector()
	gate := collygate.Use(c)
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { e.Request.Visit(e.Attr("href")) })
	response, html := make(map[string]dedup.Match), make(map[string]dedup.Match)
	titles := make(map[string]string)
	c.OnResponse(func(r *colly.Response) {
		m := gate.VerdictOf(r)
		m.Of = strings.TrimPrefix(m.Of, site)
		response[r.Request.URL.Path] = m
	})
	c.OnHTML("title", func(e *colly.HTMLElement) {
		m := gate.VerdictOf(e.Response)
		m.Of = strings.TrimPrefix(m.Of, site)
		html[e.Request.URL.Path] = m
		if v := gate.ViewOf(e.Response); v != nil {
			titles[e.Request.URL.Path] = v.Title
		}
	})
	failed := 0
	c.OnError(func(r *colly.Response, err error) {
		if failed++; gate.VerdictOf(r).Copy() {
			t.Errorf("%s, which failed, is a copy", r.Request.URL)
		}
	})
	if err := c.Visit(site + "/"); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(response, html) {
		t.Errorf("OnResponse is told %v, OnHTML %v", response, html)
	}
	for path, want := range map[string]struct {
		of    string
		level dedup.Level
	}{"/": {}, "/bees": {}, "/clocks": {}, "/same": {"/bees", dedup.LevelBytes}, "/edited": {"/bees", dedup.LevelNear}, "/far": {"/bees", dedup.LevelNear}} {
		got, ok := html[path]
		if !ok || got.Of != want.of || got.Level != want.level {
			t.Errorf("%s is %+v (%v), want a copy of %q at level %d", path, got, ok, want.of, want.level)
		}
	}
	if titles["/bees"] != "bees" || titles["/same"] != "" || titles["/edited"] != "bees" {
		t.Errorf("titles of the views: %v", titles)
	}
	if gate.Len() != 3 || failed != 1 {
		t.Errorf("%d pages are kept and %d failed, want 3 and 1", gate.Len(), failed)
	}
}

func TestHandlersForHTMLDoNotSeeCopiesThatAreDiscarded(t *testing.T) {
	site := serve(t, map[string]string{"/": start("/bees", "/same", "/edited"), "/bees": page("bees", ""), "/same": page("bees", ""), "/edited": page("bees", "and wasps")})
	o := collygate.DefaultOptions()
	o.Dedup.Mode = dedup.ModeDiscard
	gate, err := collygate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	c := colly.NewCollector()
	gate.Attach(c)
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { e.Request.Visit(e.Attr("href")) })
	var html, copies, fresh []string
	c.OnHTML("html", func(e *colly.HTMLElement) { html = append(html, e.Request.URL.Path) })
	c.OnXML("//title", func(e *colly.XMLElement) { html = append(html, e.Request.URL.Path) })
	c.OnScraped(func(r *colly.Response) {
		if gate.VerdictOf(r).Copy() {
			copies = append(copies, r.Request.URL.Path)
		}
	})
	c.OnResponse(gate.OnlyNew(func(r *colly.Response) { fresh = append(fresh, r.Request.URL.Path) }))
	if err := c.Visit(site + "/"); err != nil {
		t.Fatal(err)
	}
	slices.Sort(html)
	if want := []string{"/", "/", "/bees", "/bees"}; !slices.Equal(html, want) {
		t.Errorf("HTML and XML of %v, want %v", html, want)
	}
	if want := []string{"/", "/bees"}; !slices.Equal(fresh, want) {
		t.Errorf("a handler for new pages is called for %v, want %v", fresh, want)
	}
	if want := []string{"/same", "/edited"}; !slices.Equal(copies, want) {
		t.Errorf("copies %v, want %v", copies, want)
	}
}

// However the answers of an Async collector come in, of each story one page is kept.
func TestOfAnAsyncCollectorsPagesOneOfEachContentIsNew(t *testing.T) {
	pages := make(map[string]string)
	var paths []string
	for n := range 20 {
		for _, edition := range []string{"first", "second", "third"} {
			path := fmt.Sprintf("/%c%s/%s", 'a'+n, "story", edition)
			pages[path] = page(fmt.Sprintf("%c tale of %d", 'a'+n, n), " edition "+edition)
			paths = append(paths, path)
		}
	}
	pages["/"] = start(paths...)
	site := serve(t, pages)
	c := colly.NewCollector(colly.Async())
	gate := collygate.Use(c)
	var mu sync.Mutex
	fresh := make(map[string]int)
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { e.Request.Visit(e.Attr("href")) })
	c.OnResponse(func(r *colly.Response) {
		story := strings.Split(r.Request.URL.Path, "/")[1]
		m := gate.VerdictOf(r)
		mu.Lock()
		defer mu.Unlock()
		if !m.Copy() {
			fresh[story]++
		} else if !strings.HasPrefix(m.Of, site+"/"+story+"/") {
			t.Errorf("%s is called a copy of %s", r.Request.URL, m.Of)
		}
	})
	if err := c.Visit(site + "/"); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	for story, n := range fresh {
		if n != 1 {
			t.Errorf("%d pages of %q are new, want 1", n, story)
		}
	}
	if len(fresh) != 21 || gate.Len() != 21 {
		t.Errorf("%d stories and %d kept pages, want 21", len(fresh), gate.Len())
	}
}

// What a site repeats is not compared: neither are its pages copies for their frame, nor is
// a copy on another site missed for it.
func TestTheFrameOfASiteIsLearnedAndLeftOut(t *testing.T) {
	framed := func(frame, subject string) string {
		var menu strings.Builder
		for n, line := range strings.Fields(words(frame, 60)) {
			fmt.Fprintf(&menu, "<p>%s: this line of the frame stands on each page as number %d of all</p>", line, n)
		}
		return "<!DOCTYPE html><html><title>" + subject + "</title><body>" + menu.String() + "<p>" + words(subject, 60) + "</p></body></html>"
	}
	sites := make(map[string]map[string]string) // by frame
	for _, frame := range []string{"gazette", "tribune"} {
		sites[frame] = make(map[string]string)
		for n := range 12 {
			subject := fmt.Sprintf("%c subject", 'a'+n)
			switch {
			case n >= 9: // the last three are on both sites
				subject += " of both"
			case n == 0 && frame == "gazette", n == 8 && frame == "tribune": // and one that was read before its frame was known
				subject = "the early subject"
			default:
				subject += " of " + frame
			}
			sites[frame][fmt.Sprintf("/%02d", n)] = framed(frame, subject)
		}
	}
	gate, err := collygate.New(collygate.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var copies []string
	for _, frame := range []string{"gazette", "tribune"} {
		site := serve(t, sites[frame])
		c := colly.NewCollector()
		gate.Attach(c)
		c.OnResponse(func(r *colly.Response) {
			if m := gate.VerdictOf(r); m.Copy() {
				copies = append(copies, frame+r.Request.URL.Path+" of "+m.Of[strings.LastIndex(m.Of, "/"):])
			}
		})
		for n := range 12 {
			if err := c.Visit(fmt.Sprintf("%s/%02d", site, n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := []string{"tribune/08 of /00", "tribune/09 of /09", "tribune/10 of /10", "tribune/11 of /11"}; !slices.Equal(copies, want) {
		t.Errorf("copies: %q, want %q", copies, want)
	}
}

// A shop says nothing but their names of most products, and of a part of it every page has a frame.
func TestProductsThatAreOnlyNamedAreKept(t *testing.T) {
	pages := make(map[string]string)
	var paths []string
	add := func(path, title, body string) {
		paths = append(paths, path)
		pages[path] = "<!DOCTYPE html><html><title>" + title + "</title><body><h1>" + title + "</h1>" + body + "</body></html>"
	}
	for n := range 12 {
		add(fmt.Sprintf("/story-%d", n), fmt.Sprintf("Story %d", n), "<p>"+words(fmt.Sprint("story", n), 150)+"</p>")
	}
	for _, name := range strings.Fields("amalia artemide aurora cremona eldorado ferrara galaxy ginevra leppens madeira olanda panarea procida ravenna sultan toscana") {
		add("/cues/"+name, "Cue "+name, "<p>"+words("shop", 70)+"</p><p>"+words("terms", 60)+"</p>")
	}
	gate, err := collygate.New(collygate.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	site, c, copies := serve(t, pages), colly.NewCollector(), 0
	gate.Attach(c)
	c.OnResponse(func(r *colly.Response) {
		if gate.VerdictOf(r).Copy() {
			copies++
		}
	})
	for _, path := range paths {
		if err := c.Visit(site + path); err != nil {
			t.Fatal(err)
		}
	}
	if copies > 5 {
		t.Errorf("%d of 16 products are copies, want 5 at most, that came before the frame was known", copies)
	}
}

func TestTheCharsetOfAPageDoesNotMatter(t *testing.T) {
	text := "<title>Bär</title><p>" + strings.ReplaceAll(words("baer", 100), "a", "ä")
	latin, err := charmap.ISO8859_1.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/utf-8":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, text)
		case "/header": // colly converts it
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			fmt.Fprint(w, latin+"<!-- -->")
		case "/meta": // purify does
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<meta charset=iso-8859-1>"+latin)
		}
	}))
	defer site.Close()
	c := colly.NewCollector()
	gate := collygate.Use(c)
	c.OnResponse(func(r *colly.Response) {
		if m := gate.VerdictOf(r); r.Request.URL.Path != "/utf-8" && (m.Of != site.URL+"/utf-8" || m.Level != dedup.LevelBody) {
			t.Errorf("%s is %+v, want the body of /utf-8", r.Request.URL.Path, m)
		}
	})
	for _, path := range []string{"/utf-8", "/header", "/meta"} {
		if err := c.Visit(site.URL + path); err != nil {
			t.Error(err)
		}
	}
}

func TestWhatIsNoPageIsNotCompared(t *testing.T) {
	site := serve(t, map[string]string{"/": page("bees", "")})
	c := colly.NewCollector(colly.AllowURLRevisit())
	gate := collygate.Use(c)
	var got []dedup.Match
	c.OnResponse(func(r *colly.Response) { got = append(got, gate.VerdictOf(r)) })
	if err := errors.Join(c.Post(site+"/", nil), c.Visit(site+"/"), c.Post(site+"/", nil), c.Visit(site+"/")); err != nil {
		t.Fatal(err)
	}
	itself := dedup.Match{Of: site + "/", Level: dedup.LevelBytes, Class: dedup.FullLayout, Similarity: 1}
	if want := []dedup.Match{{}, {}, {}, itself}; !slices.Equal(got, want) {
		t.Errorf("post, visit, post, visit: %+v, want %+v", got, want)
	}
	if m := gate.VerdictOf(new(colly.Response)); m.Copy() {
		t.Errorf("a response of nobody is %+v", m)
	}
}

func TestAGateThatIsOffKeepsNothing(t *testing.T) {
	site := serve(t, map[string]string{"/": page("bees", ""), "/same": page("bees", "")})
	o := collygate.DefaultOptions()
	o.Dedup.Mode = dedup.ModeOff
	gate, err := collygate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	c := colly.NewCollector()
	gate.Attach(c)
	c.OnResponse(func(r *colly.Response) {
		if gate.VerdictOf(r).Copy() {
			t.Errorf("%s is a copy", r.Request.URL)
		}
	})
	if err := errors.Join(c.Visit(site+"/"), c.Visit(site+"/same")); err != nil || gate.Len() != 0 {
		t.Errorf("%v, %d pages kept, want none", err, gate.Len())
	}
}

func TestOptionsThatAreAtFaultAreAllNamed(t *testing.T) {
	o := collygate.DefaultOptions()
	o.MaxSites, o.Dedup.Distance = -1, 9
	_, err := collygate.New(o)
	if err == nil || !strings.Contains(err.Error(), "max sites") || !strings.Contains(err.Error(), "distance") {
		t.Errorf("New returns %v, want both faults", err)
	}
}

// What is remembered of a response goes with it.
func TestResponsesAreNotHeld(t *testing.T) {
	pages := make(map[string]string)
	for n := range 50 {
		pages[fmt.Sprintf("/%d", n)] = page(fmt.Sprintf("%c%d", 'a'+n%26, n), "")
	}
	site := serve(t, pages)
	c := colly.NewCollector()
	gate := collygate.Use(c)
	for path := range pages {
		if err := c.Visit(site + path); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		runtime.GC()
		if collygate.Remembered(gate) <= 1 {
			return
		}
	}
	t.Errorf("%d of 50 responses are remembered after they are gone", collygate.Remembered(gate))
}

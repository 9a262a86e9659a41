package gatecrawl_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store"
)

// aboutBirds is a body on the topic that no other n has: what pages repeat would be their template.
func aboutBirds(n int) string {
	s := "<p>"
	for i := range 12 {
		s += fmt.Sprintf("A heron of kind%d has feathers hue%d and a beak size%d. ", 12*n+i, 7*n+i, 5*n+3*i)
	}
	return s + "</p>"
}

// birdWorld is a front page that links to so many pages on the topic and so many off it, by words
// that do not tell, and a crawl of it for herons by one worker. A page on the topic links to the
// next, so that the topic holds together.
func birdWorld(t *testing.T, on, off int) *world {
	w := newWorld(t)
	var front strings.Builder
	for i := range off {
		fmt.Fprintf(&front, `<a href="/p/%d">page</a> `, i)
		w.page(fmt.Sprintf("/p/%d", i), prose(1000+i))
	}
	for i := range on {
		w.page(fmt.Sprintf("/b/%d", i), aboutBirds(i)+fmt.Sprintf(`<a href="/b/%d">next</a>`, (i+1)%on))
	}
	w.page("/", prose(1)+`<a href="/b/0">heron</a>`+front.String())
	w.focusOn("heron")
	w.o.Workers = 1
	return w
}

// onBirds returns how many of the requests were for pages on the topic.
func (w *world) onBirds() (n int) {
	for _, p := range w.asked() {
		if strings.HasPrefix(p, "/b/") {
			n++
		}
	}
	return n
}

func TestACrawlStopsAfterSoManyRelevantPages(t *testing.T) {
	w := birdWorld(t, 20, 30)
	w.o.StopAfterRelevant = 10
	_, ended := w.crawl(t.Context(), "/")
	if h := w.store.Totals().Harvest; ended != gatecrawl.TopicLimit || h == nil || h.OnTopic != 10 {
		t.Errorf("ended by %q with harvest %+v, want %q with 10 on the topic", ended, h, gatecrawl.TopicLimit)
	}
	st, err := w.store.Status(t.Context())
	if err != nil || len(st.BestHosts) != 1 || st.BestHosts[0].Rated < 10 || st.BestHosts[0].Harvest < .4 || st.Head == nil || *st.Head <= 0 {
		t.Errorf("status has the best hosts %+v and the head %v (%v), want one host with ten answers, most on the topic, and a head", st.BestHosts, st.Head, err)
	}
	n := len(w.asked())
	if n > 20 {
		t.Errorf("%d requests for 10 pages on the topic that link to each other", n)
	}
	if _, ended := w.crawl(t.Context(), "/"); ended != gatecrawl.TopicLimit || len(w.asked()) != n {
		t.Errorf("a second run ended by %q after %d requests, want %q and none", ended, len(w.asked())-n, gatecrawl.TopicLimit)
	}
}

// The whole topic is had when the crawl ends, and a good part of the rest is not asked for.
func TestACrawlStopsAtTheTailOfItsTopic(t *testing.T) {
	t.Parallel()
	w := birdWorld(t, 30, 260)
	w.o.StopTail = .2
	_, ended := w.crawl(t.Context(), "/")
	if ended != gatecrawl.TopicTail {
		t.Errorf("ended by %q with harvest %+v, want %q", ended, w.store.Totals().Harvest, gatecrawl.TopicTail)
	}
	if on, all := w.onBirds(), len(w.asked()); on != 30 || all > 240 {
		t.Errorf("%d requests, %d of them for the 30 pages on the topic; want all of these and at most 240", all, on)
	}
}

// Pages off the topic are refused, and what they alone link to is found.
func TestOnlyPagesOnTheTopicAreKept(t *testing.T) {
	w := newWorld(t)
	w.page("/", prose(1)+`<a href="/between">on</a>`)
	w.page("/between", prose(2)+`<a href="/heron">on</a>`)
	w.page("/heron", aboutBirds(3))
	w.focusOn("heron")
	w.o.FocusKeep = true
	w.o.Workers = 1
	pages, _ := w.crawl(t.Context(), "/")
	for _, path := range []string{"/", "/between"} {
		if p := pages[path]; p.Verdict != page.VerdictRefused || p.Rule != "topic" || !strings.Contains(p.Reason, "focus-threshold") {
			t.Errorf("%s: %+v; want it refused for the topic", path, p)
		}
		if _, err := w.store.View(t.Context(), w.srv.URL+path); err == nil {
			t.Errorf("%s is kept", path)
		}
	}
	if p := pages["/heron"]; p.Verdict != page.VerdictNew || p.Relevance < .5 {
		t.Errorf("/heron: %+v; want it kept", p)
	}
}

// TestARefusalForTheTopicTellsItsNumbersApart: it was "relevance 0.50, below 0.50".
func TestARefusalForTheTopicTellsItsNumbersApart(t *testing.T) {
	refused := func(least float64) page.Record {
		w := newWorld(t)
		w.page("/", aboutBirds(1))
		w.focusOn("heron bittern stork egret")
		w.o.FocusKeep, w.o.OnTopic = true, least
		pages, _ := w.crawl(t.Context(), "/")
		return pages["/"]
	}
	p := refused(1)
	p = refused(float64(p.Relevance) + .0003)
	var relevance, least float64
	if _, err := fmt.Sscanf(p.Reason, "off the topic: relevance %g, below %g (focus-threshold)", &relevance, &least); err != nil || relevance >= least || least-relevance > .001 {
		t.Errorf("%q (%v): want two numbers, the first a little below the second", p.Reason, err)
	}
}

// TestAnotherThresholdCountsTheHarvestAgain: a later run with a lower threshold added its pages to those that the
// first had counted by the higher one, while the last 100 were counted by the lower.
func TestAnotherThresholdCountsTheHarvestAgain(t *testing.T) {
	w := newWorld(t)
	var front strings.Builder
	for i := range 12 {
		fmt.Fprintf(&front, `<a href="/%d">page</a> `, i)
		text := "A heron stands there. "
		for k := range 3 * i {
			text += prose(1000*i + k)
		}
		w.page(fmt.Sprintf("/%d", i), text)
	}
	w.page("/", prose(1)+front.String())
	w.focusOn("heron")
	w.o.OnTopic, w.so.OnTopic, w.o.Workers = .9, .9, 1
	dir := t.TempDir()
	open := func() {
		t.Helper()
		var err error
		if w.store, err = store.Open(dir, w.so); err != nil {
			t.Fatal(err)
		}
	}
	open()
	pages, _ := w.crawl(t.Context(), "/")
	strict := w.store.Totals().Harvest.OnTopic
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	const lower = .2
	w.so.OnTopic = lower
	want := int64(0)
	for _, p := range pages {
		if p.Verdict == page.VerdictNew && float64(p.Relevance) >= lower {
			want++
		}
	}
	open()
	h := w.store.Totals().Harvest
	if want <= strict || h.OnTopic != want || h.Last != h.Share() {
		t.Errorf("%d pages on the topic from .9 on, and from %g on the harvest is %+v; want %d, more than before", strict, lower, h, want)
	}
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
}

// A page that is read again without what its site repeats is as relevant as what is kept of it then, like the pages
// that were read so at once, and counted so: else the harvest would count other pages than the list.
func TestAPageThatIsReadAgainIsCountedAsItIsListed(t *testing.T) {
	w := newWorld(t)
	const pages = 12
	for i := 1; i <= pages; i++ {
		w.page(fmt.Sprintf("/%d", i), fmt.Sprintf(`<div><h1>Story %d</h1><p>%s</p><p>The heron is the bird of this site: a heron and another heron stand on each page, and a heron flies above.</p><p>%s</p><p><a href="/%d">on</a></p></div>`,
			i, prose(2*i), prose(2*i+1), i+1))
	}
	w.focusOn("heron")
	w.o.FocusKeep, w.o.Workers = true, 1
	got, _ := w.crawl(t.Context(), "/1")
	kept, on := 0, int64(0)
	for path, p := range got {
		if p.Verdict != page.VerdictNew {
			continue
		}
		kept++
		view, err := w.store.View(t.Context(), p.URL)
		if err != nil {
			t.Fatal(err)
		}
		if want := w.topic.Rate(gatecrawl.DocOf(p.URL, view)).Relevance; math.Abs(float64(p.Relevance)-want) > .01 {
			t.Errorf("%s has the relevance %.2f, and what is kept of it %.2f", path, p.Relevance, want)
		}
		if float64(p.Relevance) >= w.o.OnTopic {
			on++
		}
	}
	if h := w.store.Totals().Harvest; kept < 3 || h.OnTopic != on {
		t.Errorf("%d pages are kept, %d of them on the topic, the harvest is %+v; want 3 kept at least", kept, on, h)
	}
}

// Cases that lead focused crawls astray. Each has a bait, pages that are met first, and all of the
// topic is to be had before most of the bait.
func TestWhatLeadsAFocusedCrawlAstray(t *testing.T) {
	const bait = 24
	for _, c := range []struct {
		name, topic string
		build       func(w *world) (seed string)
	}{
		{"a page is stuffed with the topic's words", "heron", func(w *world) string {
			links := ""
			for i := range bait {
				w.page(fmt.Sprintf("/bait/%d", i), prose(2000+i))
				links += fmt.Sprintf(`<a href="/bait/%d">x</a>`, i)
			}
			w.page("/stuffed", strings.Repeat("heron herons ", 300)+links)
			w.page("/", prose(1)+`<a href="/stuffed">x</a><a href="/b/0">grey heron</a>`)
			return "/"
		}},
		{"the site speaks two languages", "heron 苍鹭", func(w *world) string {
			links := ""
			for i := range bait {
				w.page(fmt.Sprintf("/bait/%d", i), fmt.Sprintf("<p>停水通知第%d号：因管道检修，五月%d日停水，请提前储水。</p>", i, i)+prose(2000+i))
				links += fmt.Sprintf(`<a href="/bait/%d">通知</a>`, i)
			}
			w.page("/", prose(1)+links+`<a href="/zh">苍鹭</a>`)
			w.page("/zh", "<p>苍鹭是一种水鸟，苍鹭在河边筑巢，苍鹭吃鱼，成年苍鹭有长长的喙。</p>"+`<a href="/b/0">英文</a>`)
			return "/"
		}},
		{"one rare word", "heron", func(w *world) string {
			links := ""
			for i := range bait {
				w.page(fmt.Sprintf("/bait/%d", i), prose(2000+i))
				links += fmt.Sprintf(`<a href="/bait/%d">x</a>`, i)
			}
			w.page("/", prose(1)+links+`<a href="/b/0">grey heron</a>`)
			return "/"
		}},
		{"a seed is off the topic", "heron", func(w *world) string {
			links := ""
			for i := range bait {
				w.page(fmt.Sprintf("/bait/%d", i), prose(2000+i)+fmt.Sprintf(`<a href="/bait/%d">next train</a>`, (i+1)%bait))
				links += fmt.Sprintf(`<a href="/bait/%d">train</a>`, i)
			}
			w.page("/", strings.Repeat("<p>The train leaves from the station, and the train arrives.</p>", 5)+links+`<a href="/birds">herons by the river</a>`)
			w.page("/birds", "<p>Birds by the river: a heron was seen.</p>"+prose(5)+`<a href="/b/0">more</a>`)
			return "/"
		}},
		{"a calendar", "heron", func(w *world) string {
			for i := range bait {
				w.page(fmt.Sprintf("/bait/%d", i), fmt.Sprintf(`<h1>Day %d</h1><p>No events.</p><a href="/bait/%d">next day</a><a href="/bait/%d">previous day</a>`, i, (i+1)%bait, (i+bait-1)%bait)+prose(2000+i))
			}
			w.page("/", prose(1)+`<a href="/bait/0">heron calendar</a><a href="/b/0">x</a>`)
			return "/"
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for i := range 12 {
				w.page(fmt.Sprintf("/b/%d", i), aboutBirds(i)+fmt.Sprintf(`<a href="/b/%d">next</a>`, (i+1)%12))
			}
			w.focusOn(c.topic)
			w.o.Workers = 1
			w.crawl(t.Context(), c.build(w))
			asked := w.asked()
			last := 0
			for i, p := range asked {
				if strings.HasPrefix(p, "/b/") {
					last = i
				}
			}
			before := 0
			for _, p := range asked[:last] {
				if strings.HasPrefix(p, "/bait/") {
					before++
				}
			}
			if n := w.onBirds(); n != 12 || before > bait/3 {
				t.Errorf("%d of 12 pages on the topic, the last after %d of %d that only look like it: %v", n, before, bait, asked)
			}
		})
	}
}

// A page stuffed with the topic's words links in these words to pages off it: after some of them the pages on the
// topic come, which are linked by words that say nothing, and the others say why they wait.
func TestLinksInTheWordsOfTheTopicThatDisappoint(t *testing.T) {
	const links, on = 80, 30
	for _, c := range []struct {
		name  string
		build func(w *world, i int) (path string)
	}{
		{"pages off the topic", func(w *world, i int) string {
			w.page(fmt.Sprintf("/f/%d", i), prose(2000+i))
			return fmt.Sprintf("/f/%d", i)
		}},
		{"they all link to each other", func(w *world, i int) string {
			all := ""
			for other := range links {
				all += fmt.Sprintf(`<a href="/f/%d">x</a> `, other)
			}
			w.page(fmt.Sprintf("/f/%d", i), prose(2000+i)+all)
			return fmt.Sprintf("/f/%d", i)
		}},
		{"they are missing", func(_ *world, i int) string { return fmt.Sprintf("/f/%d", i) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			farm := ""
			for i := range links {
				farm += fmt.Sprintf(`<a href="%s">heron of %s</a> `, c.build(w, i), strings.Fields(prose(i))[2])
			}
			for i := range on {
				w.page(fmt.Sprintf("/b/%d", i), aboutBirds(i)+fmt.Sprintf(`<a href="/b/%d">next</a>`, (i+1)%on))
			}
			w.page("/stuffed", strings.Repeat("heron herons ", 300)+farm)
			w.page("/", prose(1)+`<a href="/stuffed">herons</a><a href="/b/0">x</a>`)
			w.focusOn("heron")
			w.o.Workers, w.o.MaxPages = 1, on+30
			w.crawl(t.Context(), "/")
			if n := w.onBirds(); n != on {
				t.Errorf("%d of %d pages on the topic in %d requests: %v", n, on, len(w.asked()), w.asked())
			}
			why, err := w.store.Why(t.Context(), fmt.Sprintf("%s/f/%d", w.srv.URL, links-1))
			if err != nil {
				t.Fatal(err)
			}
			sum, doubt := float32(0), float32(0)
			for _, term := range why.Terms {
				if sum += term.Value; term.Name == "doubt" {
					doubt = term.Value
				}
			}
			if why.State != "queued" || doubt > -30 || max(sum-why.Score, why.Score-sum) > 1 { // a URL moves for half a point at least
				t.Errorf("the last link is %s with score %v and terms %+v; want it to wait in doubt", why.State, why.Score, why.Terms)
			}
		})
	}
}

// The links of a page are in the topic's words, and one in five of their pages has them too: that is less than they promise,
// so pages on the topic that are linked by words that say nothing come before the last third of them.
func TestLinksThatKeepAFifthOfWhatTheyPromiseAreLeft(t *testing.T) {
	t.Parallel()
	const links, on = 90, 30
	w := newWorld(t)
	farm := ""
	for i := range links {
		text := prose(2000 + i)
		if i%5 == 0 {
			text = "<p>Buy now: heron, grey heron, herons.</p>" + text
		}
		w.page(fmt.Sprintf("/f/%d", i), text)
		farm += fmt.Sprintf(`<a href="/f/%d">heron of %s</a> `, i, strings.Fields(prose(i))[2])
	}
	for i := range on {
		w.page(fmt.Sprintf("/b/%d", i), aboutBirds(i)+fmt.Sprintf(`<a href="/b/%d">next</a>`, (i+1)%on))
	}
	w.page("/stuffed", strings.Repeat("heron herons ", 300)+farm)
	w.page("/", prose(1)+`<a href="/stuffed">herons</a><a href="/b/0">x</a>`)
	w.focusOn("heron")
	w.o.Workers, w.o.MaxPages = 1, on+links*2/3
	w.crawl(t.Context(), "/")
	if n := w.onBirds(); n != on {
		t.Errorf("%d of %d pages on the topic in %d requests: %v", n, on, len(w.asked()), w.asked())
	}
}

// A thumbnail's link leads to the picture, which is not on the topic whatever the link says; a wiki's page about a picture may be.
func TestAPictureIsNotOnTheTopicOfItsLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	links := ""
	for i := range 20 {
		links += fmt.Sprintf(`<a href="/heron%d.PNG"><img src="/s%d.png" alt="heron %d"></a>`, i, i, i)
	}
	w.page("/b/0", aboutBirds(0)+links+`<a href="/w/File:Heron.png">heron</a><a href="/p/1">x</a>`)
	w.page("/w/File:Heron.png", aboutBirds(1))
	w.page("/p/1", prose(2))
	w.page("/", prose(1)+`<a href="/b/0">heron</a>`)
	w.focusOn("heron")
	w.o.Workers, w.o.MaxPages = 1, 4
	w.crawl(t.Context(), "/")
	if got := w.asked(); !slices.Contains(got, "/w/File:Heron.png") || !slices.Contains(got, "/p/1") {
		t.Errorf("asked for %v, want the two pages before the pictures", got)
	}
}

// Ten mirrors of the one relevant page are one example: the model is refused for want of others.
func TestMirrorsOfOnePageAreOneExample(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	links := ""
	for i := range 10 {
		w.page(fmt.Sprintf("/m%d/heron", i), aboutBirds(7))
		links += fmt.Sprintf(`<a href="/m%d/heron">heron</a>`, i)
	}
	for i := range 40 {
		w.page(fmt.Sprintf("/p/%d", i), prose(1000+i))
		links += fmt.Sprintf(`<a href="/p/%d">x</a>`, i)
	}
	w.page("/", prose(1)+links)
	w.focusOn("heron")
	w.o.Workers = 1
	pages, _ := w.crawl(t.Context(), "/")
	copies := 0
	for _, p := range pages {
		if p.Verdict == page.VerdictCopy {
			copies++
		}
	}
	a := w.topic.About()
	if h := w.store.Totals().Harvest; copies != 9 || a.Model != 0 || !a.TooFew || h.OnTopic != 1 {
		t.Errorf("%d copies, model %+v, harvest %+v; want 9, a model refused and one page on the topic", copies, a, h)
	}
	first := slices.DeleteFunc(w.asked()[1:], func(p string) bool { // what asks for the site's error page
		_, ok := pages[p]
		return !ok
	})[:10]
	if slices.ContainsFunc(first, func(p string) bool { return !strings.HasSuffix(p, "/heron") }) {
		t.Errorf("started with %v", first)
	}
}

// TestTheTermsOfWhatARedirectLedToAreItsScore: why says what a URL is raised by that waits since a redirect led to it.
func TestTheTermsOfWhatARedirectLedToAreItsScore(t *testing.T) {
	w := newWorld(t)
	w.mux.Handle("GET /docs", http.RedirectHandler("/docs/", http.StatusMovedPermanently))
	w.page("/docs/", aboutBirds(1))
	w.page("/", prose(1)+`<a href="/docs">heron</a>`)
	w.focusOn("heron")
	w.o.Workers, w.o.MaxPages = 1, 2
	w.crawl(t.Context(), "/")
	why, err := w.store.Why(t.Context(), w.srv.URL+"/docs/")
	if err != nil {
		t.Fatal(err)
	}
	sum := float32(0)
	for _, term := range why.Terms {
		sum += term.Value
	}
	named := slices.ContainsFunc(why.Terms, func(t priority.Term) bool { return t.Name == "redirect" && t.Value > 0 })
	if why.State != "queued" || sum != why.Score || !named {
		t.Errorf("it is %s with the score %v, of %+v; want the redirect among them", why.State, why.Score, why.Terms)
	}
}

// A redirect says nothing of the pages that are linked next to it: it has no words of its own.
func TestARedirectIsNoSiblingOffTheTopic(t *testing.T) {
	w := newWorld(t)
	links := ""
	for i := range 4 {
		w.mux.Handle(fmt.Sprintf("GET /old/%d", i), http.RedirectHandler(fmt.Sprintf("/b/%d", i), http.StatusMovedPermanently))
		w.page(fmt.Sprintf("/b/%d", i), aboutBirds(i))
		links += fmt.Sprintf(`<a href="/old/%d">heron</a>`, i)
	}
	w.page("/hub", prose(2)+links+`<a href="/beside">x</a>`)
	w.page("/", prose(1)+links+`<a href="/hub">x</a>`)
	w.focusOn("heron")
	w.o.Workers, w.o.MaxPages = 1, 10 // all but what the hub has next to them
	pages, _ := w.crawl(t.Context(), "/")
	if p, hub := pages["/beside"], pages["/hub"]; p.Seq != 0 || hub.Seq == 0 {
		t.Fatalf("asked for %v: want the hub, and not what it links to beside the redirects", w.asked())
	}
	why, err := w.store.Why(t.Context(), w.srv.URL+"/beside")
	if err != nil {
		t.Fatal(err)
	}
	for _, term := range why.Terms {
		if term.Name == "siblings" && term.Value > 1 {
			return // the mean of nothing is what any page is expected to have
		}
	}
	t.Errorf("beside four redirects: %+v, want siblings of which nothing is known", why.Terms)
}

// A server answers URLs in the words of the topic with an error page that repeats them: it is not on the topic.
func TestAnErrorPageInTheWordsOfATopicIsNotOnIt(t *testing.T) {
	w := newWorld(t)
	w.mux.HandleFunc("GET /s/", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(rw, "<title>Sorry</title>%s<p>There is no %s.</p>", aboutBirds(77), r.URL.Path)
	})
	links := ""
	for i := range 12 {
		links += fmt.Sprintf(`<a href="/s/heron-%d">heron %d</a>`, i, i)
	}
	w.page("/", prose(1)+links)
	w.focusOn("heron")
	w.o.Workers = 1
	pages, _ := w.crawl(t.Context(), "/")
	refused := 0
	for path, p := range pages {
		if p.Rule != "soft-404" {
			continue
		}
		if refused++; p.Relevance != 0 {
			t.Errorf("%s is an error page, and has relevance %v", path, p.Relevance)
		}
	}
	if refused < 8 {
		t.Errorf("%d of 12 error pages are seen to be some", refused)
	}
}

// Each page of a manual has a link to its source, whose text is the page's. After a few of these links the next
// page comes before the source.
func TestLinksWaitThatLikeOthersWithTheirWordsLeadToCopies(t *testing.T) {
	w := newWorld(t)
	const pages, sources = 20, 4
	for i := 1; i <= pages; i++ {
		text := fmt.Sprintf(`<html><title>Page %d</title><body><p>The heron and its nest, part %d.</p>%s<a href="/src/%d">Source</a> <a href="/%d">Next</a></body></html>`, i, i, aboutBirds(i), i, i+1)
		w.text(fmt.Sprintf("/%d", i), "text/html", text)
		w.text(fmt.Sprintf("/src/%d", i), "text/html", text)
	}
	w.focusOn("heron")
	w.so.Rules.Learn, w.o.Workers = "off", 1 // rules about URLs would leave them out
	w.crawl(t.Context(), "/1")
	before := 0
	for _, path := range w.asked() {
		if path == fmt.Sprintf("/%d", pages) {
			break
		}
		if strings.HasPrefix(path, "/src/") {
			before++
		}
	}
	if before == 0 || before > sources {
		t.Errorf("%d sources before the last of %d pages, want one to %d", before, pages, sources)
	}
}

// A list whose links lead to copies of pages on the topic has nothing to add: after some of them links come first that
// promise less.
func TestALinkToACopyDisappointsLikeOneOffTheTopic(t *testing.T) {
	w := newWorld(t)
	const copies, news = 30, 6
	var first, mirror, list strings.Builder
	for i := range copies {
		text := fmt.Sprintf("<html><title>The heron %d</title><body>%s</body></html>", i, aboutBirds(i))
		w.text(fmt.Sprintf("/first/%d", i), "text/html", text)
		w.text(fmt.Sprintf("/second/%d", i), "text/html", text)
		fmt.Fprintf(&first, `<a href="/first/%d">heron %d</a> `, i, i)
		fmt.Fprintf(&mirror, `<a href="/second/%d">heron %s</a> `, i, strings.Repeat("x", i+1))
	}
	for i := range news {
		w.page(fmt.Sprintf("/new/%d", i), aboutBirds(copies+i))
		fmt.Fprintf(&list, `<a href="/new/%d">entry %d</a> `, i, i)
	}
	w.page("/a", prose(1)+first.String()+`<a href="/mirror">heron list</a>`)
	w.page("/mirror", aboutBirds(90)+mirror.String())
	w.page("/list", aboutBirds(91)+list.String())
	w.focusOn("heron")
	w.so.Rules.Learn, w.o.Workers = "off", 1 // rules about URLs would leave them out
	w.crawl(t.Context(), "/a", "/list")
	before, found := 0, 0
	for _, path := range w.asked() {
		switch {
		case strings.HasPrefix(path, "/new/"):
			found++
		case strings.HasPrefix(path, "/second/") && found < news:
			before++
		}
	}
	if found != news || before > 12 {
		t.Errorf("%d of the list's pages, and %d copies before the last of them; want all %d, and 12 copies at most", found, before, news)
	}
}

// lateWorld has a topic whose first pages do not have its word: a model tells them by what the topic's other pages have
// besides, which a crawl meets later.
func lateWorld(t *testing.T) *world {
	w := newWorld(t)
	const early, first, birds, others = 4, 16, 40, 40
	about := func(i, words int) string {
		text := strings.Repeat(fmt.Sprintf("The feathers hue%d and the beak size%d of a wader by the marsh, with a nest. ", i, i), 6)
		for k := range words { // words that no other page has
			text += fmt.Sprintf("leaf%dof%d ", k, i)
		}
		return text
	}
	var front strings.Builder
	for i := range early {
		fmt.Fprintf(&front, `<a href="/p/%d">heron</a> `, i)
		w.page(fmt.Sprintf("/p/%d", i), "<p>"+about(i, 80)+"A heron.</p>")
	}
	for i := range birds {
		fmt.Fprintf(&front, `<a href="/p/%d">page</a> `, 100+i)
		w.page(fmt.Sprintf("/p/%d", 100+i), "<p>"+about(50+i, 80)+"It is a heron or an egret, and no bittern or stork.</p>")
	}
	for i := range others {
		text := "page"
		if i < first {
			text = "heron"
		}
		fmt.Fprintf(&front, `<a href="/p/%d">%s</a> `, 200+i, text)
		w.page(fmt.Sprintf("/p/%d", 200+i), prose(500+3*i)+prose(501+3*i))
	}
	w.page("/", prose(1)+front.String())
	w.focusOn("heron egret bittern stork")
	w.o.Workers = 1
	return w
}

// TestRelevanceIsThatOfTheLastModel: a page kept the relevance of the model of its time, so that a list, the harvest and an export
// had the first pages of the topic as off it, and why printed two numbers.
func TestRelevanceIsThatOfTheLastModel(t *testing.T) {
	w := lateWorld(t)
	was := make(map[string]float32)
	w.hooks.Record = func(p page.Record) { was[p.URL] = p.Relevance }
	pages, _ := w.crawl(t.Context(), "/")
	changed, on := 0, int64(0)
	for path, p := range pages {
		view, err := w.store.View(t.Context(), p.URL)
		if err != nil {
			t.Fatal(err)
		}
		want := w.topic.Rate(gatecrawl.DocOf(p.URL, view)).Relevance
		if got := float64(p.Relevance); got < want-.01 || got > want+.01 {
			t.Errorf("%s has the relevance %.3f, by what is known now it is %.3f", path, got, want)
		}
		if math.Abs(float64(p.Relevance-was[p.URL])) > .1 {
			changed++
		}
		if float64(p.Relevance) >= w.o.OnTopic {
			on++
		}
	}
	if changed < 4 {
		t.Errorf("%d pages are rated in another way than when they were fetched, so that this test shows nothing", changed)
	}
	h := w.store.Totals().Harvest
	if h.OnTopic != on || h.Answers != int64(len(pages)) {
		t.Errorf("the harvest is %+v, and %d of %d pages are on the topic", h, on, len(pages))
	}
	st, err := w.store.Status(t.Context())
	sum := 0.
	for _, p := range pages {
		sum += float64(p.Relevance)
	}
	if mean := sum / float64(len(pages)); err != nil || len(st.BestHosts) != 1 || math.Abs(st.BestHosts[0].Harvest-mean) > .01 {
		t.Errorf("best hosts %+v (%v), and the mean relevance of the pages is %.3f", st.BestHosts, err, mean)
	}
}

// TestRatingAgainIsFinishedByTheNextRun: a run that is cut off while it rates its pages again leaves them to the next one, and a
// run after that rates nothing.
func TestRatingAgainIsFinishedByTheNextRun(t *testing.T) {
	w := lateWorld(t)
	pages, _ := w.crawl(t.Context(), "/")
	rated := 0
	rate := func(most int) int {
		t.Helper()
		rated = 0
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := w.store.Rerate(ctx, 7, false, func(string, *purify.DocView) float32 {
			if rated++; rated == most {
				cancel()
			}
			return .25
		})
		if err != nil {
			t.Fatal(err)
		}
		return rated
	}
	if n := rate(10); n != 10 {
		t.Errorf("%d pages were rated, want it to end after 10", n)
	}
	if n := rate(0); n != len(pages) {
		t.Errorf("%d pages were rated by the next run, want all %d", n, len(pages))
	}
	if n := rate(0); n != 0 {
		t.Errorf("%d pages were rated once more, want none", n)
	}
	err := w.store.Pages(t.Context(), 1, func(p page.Record) error {
		if p.Relevance != .25 {
			t.Errorf("%s has the relevance %.2f", p.URL, p.Relevance)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if h := w.store.Totals().Harvest; h.OnTopic != 0 {
		t.Errorf("the harvest is %+v, and no page is on the topic", h)
	}
}

// TestPagesThatTheLastModelTakesForTheTopicAreKept: with FocusKeep, pages of the topic were refused for ever that came before its
// model was there.
func TestPagesThatTheLastModelTakesForTheTopicAreKept(t *testing.T) {
	w := lateWorld(t)
	w.o.FocusKeep = true
	refused := make(map[string]bool)
	w.hooks.Record = func(p page.Record) {
		if _, n, _ := strings.Cut(p.URL, "/p/"); p.Rule == "topic" && len(n) == 1 {
			refused[p.URL] = true
		}
	}
	pages, _ := w.crawl(t.Context(), "/")
	found := 0
	for path, p := range pages {
		if p.ReplacedBy == 0 && refused[p.URL] && p.Verdict == page.VerdictNew {
			found++
			if float64(p.Relevance) < w.o.OnTopic {
				t.Errorf("%s is kept, and has the relevance %.2f", path, p.Relevance)
			}
		}
	}
	if len(refused) != 4 || found != 4 {
		t.Errorf("%d of the first pages were refused, and of these %d are kept now", len(refused), found)
	}
	asked := len(w.asked())
	if asked > len(pages)+1+len(refused)+5 {
		t.Errorf("%d requests for %d pages, of which %d were refused and asked for again", asked, len(pages), found)
	}
	if w.tally.Released != int64(found) {
		t.Errorf("the tally has %d pages that were asked for again, want %d", w.tally.Released, found)
	}
	kept := int64(0)
	for _, p := range pages {
		if p.Verdict == page.VerdictNew && float64(p.Relevance) >= w.o.OnTopic {
			kept++
		}
		if off := p.Verdict == page.VerdictNew && float64(p.Relevance) < w.o.OnTopic; p.OffTopic != off {
			t.Errorf("%s (%s, relevance %.2f) is marked as off the topic: %v", p.URL, p.Verdict, p.Relevance, p.OffTopic)
		}
	}
	if h := w.store.Totals().Harvest; h.OnTopic != kept || h.Answers != int64(len(pages)) {
		t.Errorf("the harvest is %+v; %d of %d pages are kept and on the topic", h, kept, len(pages))
	}
}

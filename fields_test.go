package gatecrawl_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store"
)

// goods is a page of a shop.
func goods(n int, price string) string {
	return fmt.Sprintf(`<h1>Part %d</h1>%s<p class=price>%s</p><a class=buy href="buy?part=%d#now">buy</a><img src="//img.test/%d.png">`, n, prose(n), price, n, n)
}

func TestFieldsAreKeptWithTheRecordsOfPages(t *testing.T) {
	w := newWorld(t)
	w.o.Workers, w.o.Spare = 1, 0 // /same is asked for when /new is known
	w.o.Extract = []string{"price=.price", "buy=a.buy@href", "images[]=img@src", "mail=.mail@href", "none=.none"}
	w.page("/", `<a href="/new">a</a><a href="/near">b</a><a href="/same">c</a>`)
	w.text("/new", "text/html", goods(1, "12 €")+`<a class=mail href="mailto:me@shop.test">m</a>`)
	w.text("/same", "text/html", goods(1, "12 €")+`<a class=mail href="mailto:me@shop.test">m</a>`)
	w.text("/near", "text/html", goods(1, "13 €"))
	var err error
	dir := t.TempDir()
	if w.store, err = store.Open(dir, w.so); err != nil {
		t.Fatal(err)
	}
	pages, _ := w.crawl(t.Context(), "/")
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if w.store, err = store.Open(dir, w.so); err != nil {
		t.Fatal(err)
	}
	defer w.store.Close()
	again, _ := w.crawl(t.Context())
	for _, pages := range []map[string]page.Record{pages, again} {
		for path, want := range map[string]map[string][]string{
			"/":    {},
			"/new": {"price": {"12 €"}, "buy": {w.srv.URL + "/buy?part=1"}, "images": {"http://img.test/1.png"}, "mail": {"mailto:me@shop.test"}},
			// Its bytes are those of a page whose fields are known.
			"/same": {},
			"/near": {"price": {"13 €"}, "buy": {w.srv.URL + "/buy?part=1"}, "images": {"http://img.test/1.png"}},
		} {
			p := pages[path]
			if len(p.Fields) != len(want) {
				t.Errorf("%s (%s, level %d) has the fields %+v, want %v", path, p.Verdict, p.Level, p.Fields, want)
			}
			for name, values := range want {
				if got := p.Fields.Get(name); !slices.Equal(got, values) {
					t.Errorf("%s: %s is %q, want %q", path, name, got, values)
				}
			}
		}
		if p := pages["/near"]; p.Verdict != page.VerdictCopy || p.Level == 3 {
			t.Errorf("/near is %s of level %d: want a copy with other bytes, or this test says nothing of those", p.Verdict, p.Level)
		}
	}
}

func TestFieldsAreThoseOfTheLastReading(t *testing.T) {
	w := newWorld(t)
	w.o.Extract = []string{"price=.price"}
	var price atomic.Value
	price.Store("12 €")
	w.mux.HandleFunc("GET /part", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, goods(1, price.Load().(string)))
	})
	pages, _ := w.crawl(t.Context(), "/part")
	before := pages["/part"]
	price.Store("99 €")
	if _, err := w.store.Requeue(t.Context(), gatecrawl.Again{Before: time.Now(), Copies: 1}); err != nil {
		t.Fatal(err)
	}
	pages, _ = w.crawl(t.Context())
	p := pages["/part"]
	if got := p.Fields.Get("price"); !slices.Equal(got, []string{"99 €"}) {
		t.Errorf("after the page changed, its price is %q, want 99 €; before: %q; %s", got, before.Fields.Get("price"), p.Revisit)
	}
	if p.Seq != before.Seq || p.Revisit == "" {
		t.Errorf("record %d (%s): want the one of before, %d, or this test says nothing of pages that stay", p.Seq, p.Revisit, before.Seq)
	}
}

func TestPagesAreComparedByWhatSelectorsLeave(t *testing.T) {
	// The same article below comments that have nothing in common, and two articles below
	// the same comments.
	comments := func(n int) string { return "<div class=comments>" + prose(n) + prose(n+1) + prose(n+2) + "</div>" }
	serve := func(drop ...string) map[string]page.Record {
		w := newWorld(t)
		w.o.Drop, w.o.Workers = drop, 1 // /a before /b
		w.so.Selectors = w.o.BodyVersion()
		w.page("/", `<a href="/a">a</a><a href="/b">b</a><a href="/c">c</a>`)
		w.page("/a", "<article>"+prose(1)+"</article>"+comments(10))
		w.page("/b", "<article>"+prose(1)+"</article>"+comments(20))
		w.page("/c", "<article>"+prose(2)+"</article>"+comments(20))
		pages, _ := w.crawl(t.Context(), "/")
		return pages
	}
	if p := serve()["/b"]; p.Verdict != page.VerdictNew {
		t.Fatalf("without selectors /b is %s of %s: this test says nothing", p.Verdict, p.Of)
	}
	pages := serve(".comments")
	if p := pages["/b"]; p.Verdict != page.VerdictCopy || !strings.HasSuffix(p.Of, "/a") {
		t.Errorf("/b is %s of %q, want a copy of /a: they differ in comments alone", p.Verdict, p.Of)
	}
	if p := pages["/c"]; p.Verdict != page.VerdictNew {
		t.Errorf("/c is %s of %q, want new: it shares comments alone", p.Verdict, p.Of)
	}
}

func TestWhatIsKeptStaysWhenTheTemplateIsKnown(t *testing.T) {
	w := newWorld(t)
	w.o.Keep = []string{"p"}
	w.so.Selectors = w.o.BodyVersion()
	w.framed("", 12)
	w.crawl(t.Context(), "/1")
	for path, body := range w.bodies("", 12) {
		if !strings.Contains(body, "ten crowns") {
			t.Errorf("%s: the site's template took out what is kept: %.200q", path, body)
		}
		if strings.Contains(body, "Story") {
			t.Errorf("%s: the heading is not kept, and in the body: %.200q", path, body)
		}
	}
}

func TestAJobKeepsToItsSelectorsOfBodies(t *testing.T) {
	dir := t.TempDir()
	o := gatecrawl.DefaultOptions()
	o.Keep, o.Drop = []string{"main", "a.test=.x"}, []string{".ad"}
	so := store.DefaultOptions()
	so.Selectors = o.BodyVersion()
	st, err := store.Open(dir, so)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	same := o
	same.Keep = []string{"a.test=.x", "main", "main"}
	same.Extract = []string{"x=p"}
	if same.BodyVersion() != o.BodyVersion() {
		t.Error("another order of selectors, or a field, is another version")
	}
	for _, version := range []string{"", "another"} {
		so.Selectors = version
		st, err := store.Open(dir, so)
		var other *store.SelectorsError
		if !errors.As(err, &other) || !strings.Contains(err.Error(), "start a new job") {
			t.Errorf("opened with selectors %q: %v, want a SelectorsError with advice", version, err)
		}
		if st != nil {
			st.Close()
		}
	}
}

func TestFaultySelectorsAreFaultsOfTheOptions(t *testing.T) {
	o := gatecrawl.DefaultOptions()
	o.Extract, o.Keep, o.Drop = []string{"a", "b=["}, []string{"p:nope"}, []string{"x y=p"}
	err := o.Validate()
	for _, want := range []string{`"a" has no =`, "field b", "p:nope", `"x y" is not a host`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate: %v, want a fault with %q", err, want)
		}
	}
}

func ExampleResolveFields() {
	o := gatecrawl.DefaultOptions()
	o.Extract = []string{"price=.price", "photos[]=img@src"}
	reader, err := o.Reader()
	if err != nil {
		fmt.Println(err)
		return
	}
	at, err := weburl.Parse("https://shop.example/tea/")
	if err != nil {
		fmt.Println(err)
		return
	}
	html := `<h1>Tea</h1><b class=price>12 €</b><img src=a.jpg><img src=/b.jpg>`
	var view *purify.DocView
	view, _ = reader.PurifyOn(nil, at.String(), []byte(html), "text/html")
	gatecrawl.ResolveFields(view, at)
	fmt.Println(view.Fields.Get("price"), view.Fields.Get("photos"))
	// Output: [12 €] [https://shop.example/tea/a.jpg https://shop.example/b.jpg]
}

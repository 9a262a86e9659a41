package topics_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/testserver/topics"
)

func start(t *testing.T, o topics.Options) *topics.Web {
	t.Helper()
	w, err := topics.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func get(t *testing.T, url string) (body string, status int) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), resp.StatusCode
}

func small() topics.Options {
	o := topics.Defaults()
	o.Blogs, o.Manuals, o.Pages, o.Articles = 2, 2, 40, 40
	return o
}

func TestThePagesOfTheTruthAreServedWithTheirLinks(t *testing.T) {
	o := small()
	o.Copied = 3
	w := start(t, o)
	pages := make(map[string]topics.Page)
	for _, p := range w.Pages() {
		pages[p.URL] = p
	}
	for url, p := range pages {
		body, status := get(t, url)
		if status != http.StatusOK {
			t.Fatalf("%s: status %d", url, status)
		}
		for _, to := range p.Links {
			if _, there := pages[to]; !there && !strings.Contains(to, "/calendar/") {
				t.Errorf("%s links to %s, which is not in the truth", url, to)
			}
			if !strings.Contains(body, `href="`+to+`"`) {
				t.Errorf("%s has no link to %s", url, to)
			}
		}
		if p.CopyOf != "" {
			if of, _ := get(t, p.CopyOf); of != body {
				t.Errorf("%s is not the copy of %s", url, p.CopyOf)
			}
		}
	}
	if _, status := get(t, w.Portal()+"nowhere"); status != http.StatusNotFound {
		t.Errorf("a page that is not there: status %d", status)
	}
}

// The two words of a subject's name are more frequent in its pages than in others.
func TestPagesAreAboutTheirSubject(t *testing.T) {
	w := start(t, small())
	found := make(map[bool]float64)
	n := make(map[bool]float64)
	for _, p := range w.Pages() {
		if p.Kind != "post" && p.Kind != "section" && p.Kind != "article" {
			continue
		}
		body, _ := get(t, p.URL)
		for _, s := range w.Subjects() {
			on := s.Name == p.Name
			n[on]++
			for word := range strings.FieldsSeq(s.Name) {
				found[on] += float64(strings.Count(body, word))
			}
		}
	}
	if on, off := found[true]/n[true], found[false]/n[false]; on < 1 || on < 8*off {
		t.Errorf("the words of a subject stand %.2f times on its pages and %.2f times on others", on, off)
	}
}

func TestTheCalendarNeverEnds(t *testing.T) {
	w := start(t, small())
	for _, p := range w.Pages() {
		if p.Kind != "front" {
			continue
		}
		if _, status := get(t, p.URL+"calendar/123456"); (status == http.StatusOK) != hasCalendar(p) {
			t.Errorf("%s: day 123456 has status %d", p.URL, status)
		}
		if _, status := get(t, p.URL+"calendar/01"); status != http.StatusNotFound {
			t.Errorf("%s: a day has two names", p.URL)
		}
	}
}

func hasCalendar(p topics.Page) bool {
	for _, l := range p.Links {
		if strings.Contains(l, "/calendar/") {
			return true
		}
	}
	return false
}

func TestOneSeedHasOneWeb(t *testing.T) {
	var bodies [3]string
	for i := range bodies {
		o := small()
		if o.Port = 0; i == 2 {
			o.Seed++
		}
		w := start(t, o)
		for _, p := range w.Pages()[:60] {
			body, _ := get(t, p.URL)
			bodies[i] += strings.ReplaceAll(body, p.Host[strings.LastIndex(p.Host, ":"):], "") // the port is any
		}
	}
	if bodies[0] != bodies[1] {
		t.Error("the same seed gave another web")
	}
	if bodies[0] == bodies[2] {
		t.Error("another seed gave the same web")
	}
}

// An article without frames leads to articles only, as many as were asked for and no lists.
func TestArticlesOfAWebWithoutFramesLinkToArticlesOnly(t *testing.T) {
	o := topics.Defaults()
	o.Blogs, o.Manuals, o.Articles, o.Links, o.Frameless = 0, 0, 200, 20, true
	w, err := topics.New(o)
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]string)
	links := 0
	for _, p := range w.Pages() {
		kinds[p.URL] = p.Kind
	}
	for _, p := range w.Pages() {
		if p.Kind == "listing" {
			t.Errorf("%s is a list", p.URL)
		}
		for _, to := range p.Links {
			if p.Kind == "article" && kinds[to] != "article" {
				t.Errorf("%s links to %s, which is of kind %q", p.URL, to, kinds[to])
			}
		}
		if p.Kind == "article" {
			links += len(p.Links)
		}
	}
	if links < 200*12 || links > 200*20 { // those drawn twice count once
		t.Errorf("200 articles have %d links, want 12 to 20 each", links)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []topics.Options{{}, {Blogs: 1, Pages: 1}, {Blogs: 101, Pages: 20}, {Articles: 5}, {Articles: 50, Links: 10, Copied: 51}, {Articles: 50, Links: 10, Port: 70_000}, {Articles: 50}} {
		if _, err := topics.New(o); err == nil {
			t.Errorf("%+v: want an error", o)
		}
	}
}

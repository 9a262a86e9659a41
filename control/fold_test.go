package control_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/purify"
)

// askedBrief is a job that has met no URL, and counts how often it is asked.
type askedBrief struct {
	gatecrawl.Inspector
	n int
}

func (a *askedBrief) Briefs(_ context.Context, urls []string) ([]gatecrawl.Brief, error) {
	a.n += len(urls)
	return make([]gatecrawl.Brief, len(urls)), nil
}

// What a job knows of a URL is looked up once a minute, however often it is in a list.
func TestListsThatAreFoldedAgainAskTheJobNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var job askedBrief
		h := control.Answers(&job, &control.Running{})
		post := func(body string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/fold", strings.NewReader(body)))
			return w
		}
		const list = `{"results":[{"url":"http://a.example/","title":"one"},{"url":"http://b.example/","title":"two"}]}`
		for range 5 {
			if w := post(list); w.Code != http.StatusOK || strings.Count(w.Body.String(), "\n") != 2 {
				t.Fatalf("%d: %s, want two groups", w.Code, w.Body)
			}
		}
		if job.n != 2 {
			t.Errorf("the job was asked %d times about two URLs", job.n)
		}
		time.Sleep(time.Minute + time.Second)
		post(list)
		if job.n != 4 {
			t.Errorf("after a minute the job was asked %d times, want 4: a crawl may have learned more", job.n)
		}
		if w := post(`{"url":"http://a.example/"}`); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "one JSON object with results") {
			t.Errorf("a line in place of a list: %d %s", w.Code, w.Body)
		}
	})
}

// aPage is a finished job of one kept page, and counts how often it and its text are asked for.
type aPage struct {
	gatecrawl.Inspector
	views, briefs int
}

const aPageSays = "Herons stand in shallow water for hours and wait for a fish that swims past their feet."

func (a *aPage) Briefs(_ context.Context, urls []string) ([]gatecrawl.Brief, error) {
	a.briefs += len(urls)
	return slices.Repeat([]gatecrawl.Brief{{Title: "Herons", Kept: 7}}, len(urls)), nil
}

func (a *aPage) View(context.Context, string) (*purify.DocView, error) {
	a.views++
	return &purify.DocView{Abstract: aPageSays}, nil
}

// A crawl that works on a job learns of new copies, so that URLs are looked up again; the text of a
// kept page stays.
func TestAbstractsOfARunningCrawlAreMadeOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var job aPage
		h := control.Answers(&job, &control.Running{})
		for range 3 {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/fold", strings.NewReader(`{"results":[{"url":"http://a.example/"}],"snippets":true}`)))
			if !strings.Contains(w.Body.String(), aPageSays) {
				t.Errorf("%s, want the abstract", w.Body)
			}
			time.Sleep(2 * time.Minute)
		}
		if job.views != 1 || job.briefs != 3 {
			t.Errorf("for three lists the page was read %d times and looked up %d times, want 1 and 3", job.views, job.briefs)
		}
	})
}

// Where no crawl works on a job what it says of a URL holds: it is read once, when a list has it.
func TestAFinishedJobIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var job aPage
		h := control.Answers(&job, nil)
		for range 2 {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/fold", strings.NewReader(`{"results":[{"url":"http://a.example/"}],"snippets":true}`)))
			if !strings.Contains(w.Body.String(), aPageSays) || !strings.Contains(w.Body.String(), `"title":"Herons"`) {
				t.Errorf("%s, want the title and the abstract", w.Body)
			}
			time.Sleep(time.Hour)
		}
		if job.views != 1 || job.briefs != 1 {
			t.Errorf("for two lists the page was read %d times and looked up %d times, want once each", job.views, job.briefs)
		}
	})
}

// sketched is a finished job of kept pages with these sketches, by URL, which makes no abstracts.
type sketched struct {
	gatecrawl.Inspector
	of    map[string][16]byte
	views atomic.Int32
}

func (s *sketched) Briefs(_ context.Context, urls []string) ([]gatecrawl.Brief, error) {
	briefs := make([]gatecrawl.Brief, len(urls))
	for i, url := range urls {
		if sketch, ok := s.of[url]; ok {
			briefs[i] = gatecrawl.Brief{Title: "A page with a title of nine words or more", Kept: uint64(len(url)), Sketch: sketch, Tokens: 100}
		}
	}
	return briefs, nil
}

func (s *sketched) View(context.Context, string) (*purify.DocView, error) {
	s.views.Add(1)
	return &purify.DocView{Abstract: aPageSays}, nil
}

// Pages of a job are folded by the sketches of its index: their texts are not read, unless the list
// describes a page that the job does not have.
func TestPagesOfAJobAreFoldedByTheirSketches(t *testing.T) {
	job := sketched{of: map[string][16]byte{
		"http://a.example/": {1: 0xff}, "http://a.example/b": {1: 0xff, 9: 3}, "http://a.example/cc": {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
	}}
	h := control.Answers(&job, nil)
	post := func(list string) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/fold", strings.NewReader(`{"results":[{"url":"http://a.example/"},{"url":"http://a.example/b"},{"url":"http://a.example/cc"}`+list)))
		return w.Body.String()
	}
	got := post(`]}`)
	if strings.Count(got, "\n") != 2 || !strings.Contains(got, `"url":"http://a.example/b","title":"A page with a title of nine words or more","place":2,"how":"text","similarity":0.96875`) || job.views.Load() != 0 {
		t.Errorf("%d texts were read for\n%swant none, and the second page below the first by its text", job.views.Load(), got)
	}
	got = post(`,{"url":"http://other.example/","title":"A page with a title of nine words or more","snippet":"` + aPageSays + `"}]}`)
	if strings.Count(got, "\n") != 2 || !strings.Contains(got, `"how":"description","similarity":1`) || job.views.Load() != 3 || strings.Contains(got, `example/cc","title":"A page with a title of nine words or more","snippet"`) {
		t.Errorf("%d texts were read for\n%swant three, and the other page below one of the job's", job.views.Load(), got)
	}
	if got = post(`],"snippets":true}`); strings.Count(got, aPageSays) != 3 {
		t.Errorf("with snippets\n%swant three", got)
	}
}

package control_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control"
)

// askedWhy is a job that has met no URL, and counts how often it is asked.
type askedWhy struct {
	gatecrawl.Inspector
	n int
}

func (a *askedWhy) Why(context.Context, string) (gatecrawl.Why, error) {
	a.n++
	return gatecrawl.Why{}, gatecrawl.ErrUnknown
}

// What a job knows of a URL is looked up once a minute, however often it is in a list.
func TestListsThatAreFoldedAgainAskTheJobNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var job askedWhy
		h := control.Answers(&job, nil)
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

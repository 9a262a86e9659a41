package queue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
)

// Each page of a site links to a page that is on the topic. That says less of each page's other links
// than the one before, while a list whose first entry is on the topic promises more. The front page of
// the site itself says nothing from the first page on, and that of another one does.
func TestWhatAllPagesLinkToSaysNothingOfTheirOtherLinks(t *testing.T) {
	at := func(path string) weburl.URL {
		if !strings.HasPrefix(path, "//") {
			path = "//a.test" + path
		}
		u, err := weburl.Parse("http:" + path)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	rated := func(paths ...string) (cs []frontier.Candidate) {
		for _, p := range paths {
			cs = append(cs, frontier.Candidate{URL: at(p), Signals: priority.Signals{Links: 1}})
		}
		return cs
	}
	q, update := focusedQueue(t, queue.DefaultOptions())
	update(func(tx *queue.Tx) error { return tx.Add(q.Links(rated("/menu", "/entry", "/", "//b.test/"))) })
	for range 4 {
		l, err := q.Next(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		held, err := q.Hold(l, queue.Answer{Finished: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		update(func(tx *queue.Tx) error {
			rec, err := tx.Take(held)
			if err != nil {
				return err
			}
			rec.State, rec.Page, rec.Rated = queue.Done, 1, 1
			tx.Put(held.Key, rec)
			tx.Settled(held.Key, rec)
			return nil
		})
	}
	beside := func(from string, paths ...string) (of float32) {
		links := q.Links(rated(paths...))
		update(func(tx *queue.Tx) error { return tx.Siblings(at(from).Key(), links) })
		return links[len(links)-1].Candidate.Signals.Siblings
	}
	if got := beside("/stuffed", "/", "/new"); got != .05 {
		t.Errorf("beside the site's own front page: %v, want .05", got)
	}
	if got := beside("/links", "//b.test/", "/new"); got < .2 {
		t.Errorf("beside the front page of another site: %v", got)
	}
	first := beside("/0", "/menu", "/new")
	if want := float32(.1+.5) / 2.5; first != want {
		t.Errorf("beside a page that one other links to: %v, want %v", first, want)
	}
	last := first
	for i := range 30 {
		got := beside(fmt.Sprintf("/%d", i+1), "/menu", "/new")
		if got >= last {
			t.Fatalf("the %dth page beside what all link to: %v, the one before %v", i+2, got, last)
		}
		last = got
	}
	if last > .07 {
		t.Errorf("beside what 31 pages link to: %v, want hardly more than .05", last)
	}
	if got := beside("/list", "/menu", "/entry", "/new"); got < .2 {
		t.Errorf("on a list with a page on the topic: %v", got)
	}
}

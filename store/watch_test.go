package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/store"
)

func (q queue) hosts(by frontier.HostOrder, limit int) (names []string) {
	q.Helper()
	hs, err := q.s.Hosts(q.Context(), gatecrawl.HostQuery{By: by, Limit: limit})
	if err != nil {
		q.Fatal(err)
	}
	for _, h := range hs {
		names = append(names, h.Name)
	}
	return names
}

func TestHostsAreListedInTheOrderThatIsAskedFor(t *testing.T) {
	o := store.DefaultOptions()
	o.Delay, o.ParkAfter = 0, 1
	q := openQueue(t, o, "http://one.example/", "http://three.example/", "http://three.example/2", "http://three.example/3",
		"http://two.example/", "http://two.example/2")
	want := func(by frontier.HostOrder, limit int, names ...string) {
		t.Helper()
		if got := q.hosts(by, limit); fmt.Sprint(got) != fmt.Sprint(names) {
			t.Errorf("Hosts by %s, at most %d: %v, want %v", by, limit, got, names)
		}
	}
	want(frontier.HostsByQueue, 0, "three.example", "two.example", "one.example")
	want(frontier.HostsByQueue, 2, "three.example", "two.example")
	want(frontier.HostsInHand, 0)
	l := q.next()
	want(frontier.HostsInHand, 0, l.URL.Host())
	hs, err := q.s.Hosts(t.Context(), gatecrawl.HostQuery{Names: []string{"unheard.example", l.URL.Host()}})
	if err != nil || len(hs) != 1 || hs[0].InHand != 1 || hs[0].Since == nil {
		t.Errorf("Hosts by name = %+v, %v, want one in hand", hs, err)
	}
	q.answered(l, "192.0.2.1:80")
	want(frontier.HostsByFetched, 1, l.URL.Host())
	if all := q.hosts(frontier.HostsByFetched, 0); len(all) != 3 {
		t.Errorf("Hosts by fetched: %v, want all three", all)
	}
	want(frontier.HostsByFailures, 0)
	want(frontier.HostsParked, 0)
	if err := q.s.Park(t.Context(), "one.example", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := q.s.Park(t.Context(), "TWO.example", time.Now().Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	want(frontier.HostsParked, 0, "two.example", "one.example")
	if err := q.s.Park(t.Context(), "two.example", time.Time{}); err != nil {
		t.Fatal(err)
	}
	want(frontier.HostsParked, 0, "one.example")
	for _, bad := range []string{"", "a b", "unheard.example"} {
		if err := q.s.Park(t.Context(), bad, time.Time{}); err == nil {
			t.Errorf("Park(%q) is taken", bad)
		}
	}
	if err := q.s.Park(t.Context(), "unheard.example", time.Time{}); !errors.Is(err, gatecrawl.ErrUnknown) {
		t.Errorf("Park of a host that was never met = %v, want ErrUnknown", err)
	}
}

func TestAParkByHandEndsInItsTime(t *testing.T) {
	o := store.DefaultOptions()
	o.Delay = 0
	q := openQueue(t, o, "http://a.example/")
	if err := q.s.Park(t.Context(), "a.example", time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if l := q.next(); l.URL.Host() != "a.example" {
		t.Errorf("Next = %s, want the host whose park is over", l.URL)
	}
	if n := q.s.Totals().ParkedHosts; n != 0 {
		t.Errorf("%d hosts are parked, want none", n)
	}
}

func TestTheQueueIsCountedByDepthAndScore(t *testing.T) {
	q := openQueue(t, store.DefaultOptions())
	var urls []string
	for i := range 300 {
		urls = append(urls, fmt.Sprintf("http://h%d.example/%d", i%7, i))
	}
	q.add(urls...)
	w, err := q.s.Waiting(t.Context(), gatecrawl.WaitingQuery{Sample: 1000, List: true})
	if err != nil || w.Queued != 300 || w.Looked != 300 || len(w.Depths) != 1 || w.Depths[0].URLs != 300 || len(w.Scores) != 1 || w.Scores[0].URLs != 300 {
		t.Errorf("Waiting = %+v, %v, want all 300 in one row", w, err)
	}
	if len(w.URLs) != 300 || w.URLs[0].URL == "" || !slices.IsSortedFunc(w.URLs, func(a, b gatecrawl.WaitingURL) int { return cmp.Compare(b.Score, a.Score) }) {
		t.Errorf("Waiting lists %d URLs, want 300, the best first", len(w.URLs))
	}
	if w, err = q.s.Waiting(t.Context(), gatecrawl.WaitingQuery{Sample: 3, List: true}); err != nil || w.Looked > 3 || len(w.URLs) > 3 {
		t.Errorf("Waiting of a sample of 3 = %+v, %v", w, err)
	}
	if w, err = q.s.Waiting(t.Context(), gatecrawl.WaitingQuery{Sample: 128}); err != nil || w.Queued != 300 || w.Looked < 64 || w.Looked > 128 {
		t.Errorf("Waiting of a sample of 128 = %+v, %v", w, err)
	}
}

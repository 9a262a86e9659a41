package queue_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/seen"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// An outcomesQueue is a focused queue that counts what came of links, and puts URLs back as a store does.
type outcomesQueue struct {
	*queue.Queue
	t      *testing.T
	tables kv.Store
	order  uint64
	moved  int // URLs that were put back, or moved with them
	rated  func(url string) float32
}

// newOutcomes returns an empty queue.
func newOutcomes(t *testing.T) *outcomesQueue {
	t.Helper()
	tables, err := mem.Open(queue.Tables())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tables.Close() })
	return openOutcomes(t, tables, 0)
}

func openOutcomes(t *testing.T, tables kv.Store, order uint64) *outcomesQueue {
	t.Helper()
	p := priority.DefaultOptions()
	p.Focused = true
	q := &outcomesQueue{Queue: queue.New(queue.Options{PerHost: 1, Lease: time.Minute}, p, nil), t: t, tables: tables, order: order}
	if err := q.Load(tables, 0, 0, true); err != nil {
		t.Fatal(err)
	}
	if err := q.OpenFilter(filepath.Join(t.TempDir(), "seen"), seen.DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	return q
}

func (q *outcomesQueue) update(change func(t *queue.Tx) error) {
	q.t.Helper()
	err := q.tables.Update(context.Background(), func(tx kv.Tx) error {
		t := q.Begin(tx, q.order)
		tx.OnCommit(t.Committed)
		if err := change(t); err != nil {
			return err
		}
		q.order = t.Order()
		_, err := t.Finish()
		return err
	})
	if err != nil {
		q.t.Fatal(err)
	}
}

// found adds links that a page has, with the relevance of their words.
func (q *outcomesQueue) found(from string, anchor float32, urls ...string) {
	q.t.Helper()
	cs := make([]frontier.Candidate, len(urls))
	for i, url := range urls {
		cs[i] = frontier.Candidate{URL: at(q.t, url), Signals: priority.Signals{Links: 1, Sum: .8, Relevance: .8, Anchor: anchor, Siblings: .05}}
		if from != "" {
			cs[i].From = at(q.t, from).Key()
		}
	}
	q.update(func(t *queue.Tx) error { return t.Add(q.Links(cs)) })
}

func at(t *testing.T, url string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse("http://" + url)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// crawl fetches n URLs, and returns them in order.
func (q *outcomesQueue) crawl(n int) (urls []string) {
	q.t.Helper()
	for len(urls) < n {
		l, err := q.Next(q.t.Context(), nil)
		if err != nil {
			q.t.Fatal(err)
		}
		wrong := false
		err = q.tables.View(q.t.Context(), func(r kv.Reader) error {
			wrong, err = q.Misplaced(r, l)
			return err
		})
		if err != nil {
			q.t.Fatal(err)
		}
		held, err := q.Hold(l, queue.Answer{})
		if err != nil {
			q.t.Fatal(err)
		}
		if wrong {
			q.update(func(t *queue.Tx) error { return t.Rerate(held) })
			if q.moved++; q.moved > 1000 {
				q.t.Fatal("URLs are put back again and again")
			}
			continue
		}
		url := strings.TrimPrefix(l.URL.String(), "http://")
		urls = append(urls, url)
		rated := q.rated(url)
		q.update(func(t *queue.Tx) error {
			rec, err := t.Take(held)
			if err != nil {
				return err
			}
			rec.State, rec.Page, rec.Rated = queue.Done, 1, rated
			t.Put(held.Key, rec)
			t.Settled(held.Key, rec)
			return t.Outcome(rec)
		})
	}
	return urls
}

// entriesAlone rates the entries of a list as what they promise, and all else 0.
func entriesAlone(url string) float32 {
	if strings.Contains(url, "entry") {
		return .3
	}
	return 0
}

func several(n int, form string) (urls []string) {
	for i := range n {
		urls = append(urls, fmt.Sprintf(form, i))
	}
	return urls
}

// A page in the words of the topic has 200 links in these words to pages off it, on its own host and on others. When
// a handful of them was fetched, links come first that promise less; also after the job was opened again.
func TestLinksSinkWhenOthersOfTheirPageDisappoint(t *testing.T) {
	q := newOutcomes(t)
	q.rated = entriesAlone
	q.found("", 0, "a.test/farm", "a.test/list", "a.test/go")
	q.found("a.test/farm", 1, several(100, "a.test/farmed-%d")...)
	q.found("a.test/farm", 1, several(100, "b.test/farmed-%d")...)
	q.found("a.test/list", .2, several(20, "a.test/entry-%d")...)
	first := q.crawl(6)
	if n := count(first, "farmed"); n != 4 {
		t.Fatalf("%v: %d links of the farm, want 4", first, n)
	}
	q = openOutcomes(t, q.tables, q.order)
	q.rated = entriesAlone
	if next := q.crawl(19); count(next, "entry") < 18 {
		t.Errorf("then %v, want the entries of the list", next)
	}
	if q.moved > 8 {
		t.Errorf("%d commits for that, want one for 64 URLs of a host", q.moved)
	}
	if rest := q.crawl(60); count(rest, "farmed") < 50 || q.moved > 40 {
		t.Errorf("at last %v with %d moves, want the farm's links", rest, q.moved)
	}
}

func count(urls []string, with string) (n int) {
	for _, url := range urls {
		if strings.Contains(url, with) {
			n++
		}
	}
	return n
}

// What a page's links led to is of the page, though each of them redirects.
func TestLinksThatRedirectAreThoseOfTheirPage(t *testing.T) {
	q := newOutcomes(t)
	q.rated = func(url string) float32 {
		if strings.Contains(url, "to-") {
			q.found(url, 1, strings.Replace(url, "to-", "farmed-", 1)) // it comes before links that promise less
			return queue.Unrated
		}
		return entriesAlone(url)
	}
	q.found("a.test/farm", .9, several(40, "a.test/to-%d")...)
	q.found("a.test/list", .2, several(20, "a.test/entry-%d")...)
	got := q.crawl(32)
	if n := count(got, "farmed"); n > 5 || n < 3 || count(got, "entry") < 18 {
		t.Errorf("%v: want some of the farm's links, then the entries", got)
	}
}

// Links come up again when others of their page that were fetched later prove them good.
func TestLinksRiseWhenOthersOfTheirPageProveGood(t *testing.T) {
	q := newOutcomes(t)
	n := 0
	q.rated = func(url string) float32 {
		if !strings.Contains(url, "late") {
			return entriesAlone(url)
		}
		if n++; n <= 4 {
			return 0
		}
		return 1
	}
	q.found("a.test/late", 1, several(40, "a.test/late-%d")...)
	q.found("a.test/list", .2, several(20, "a.test/entry-%d")...)
	got := q.crawl(60)
	entries := slices.IndexFunc(got, func(url string) bool { return strings.Contains(url, "entry") })
	if entries != 4 || count(got[24:], "late") != 36 {
		t.Fatalf("%v: want four links of the page that disappoint, then the entries, then the others", got)
	}
	rec := func(url string) (r queue.Record) {
		err := q.tables.View(t.Context(), func(in kv.Reader) (err error) {
			r, _, err = queue.Get(in, at(t, url).Key())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if d := rec(got[24]).Signals.Doubt; d < 192 {
		t.Errorf("the first of these has doubt %d, want three quarters", d)
	}
	if d := rec(got[59]).Signals.Doubt; d != 0 {
		t.Errorf("the last has doubt %d, want none", d)
	}
}

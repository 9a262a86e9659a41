package queue_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/seen"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// focusedQueue opens an empty queue of a focused crawl, and returns how a commit changes it.
func focusedQueue(t *testing.T, o queue.Options) (q *queue.Queue, update func(change func(t *queue.Tx) error)) {
	t.Helper()
	ctx := context.Background()
	tables, err := mem.Open(queue.Tables())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tables.Close() })
	p := priority.DefaultOptions()
	p.Focused = true
	q = queue.New(o, p, nil)
	if err := q.Load(tables, 0, 0, true); err != nil {
		t.Fatal(err)
	}
	if err := q.OpenFilter(filepath.Join(t.TempDir(), "seen"), seen.DefaultOptions()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { q.Close() })
	order := uint64(0)
	return q, func(change func(t *queue.Tx) error) {
		t.Helper()
		err := tables.Update(ctx, func(tx kv.Tx) error {
			t := q.Begin(tx, order)
			tx.OnCommit(t.Committed)
			if err := change(t); err != nil {
				return err
			}
			order = t.Order()
			_, err := t.Finish()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// foundOnCopies is the words of links that are only on copies.
const foundOnCopies = -1

// bring settles a URL with a page of the given rating.
func bring(t *queue.Tx, held *queue.Held, rating float32) error {
	rec, err := t.Take(held)
	if err != nil {
		return err
	}
	rec.State, rec.Page = queue.Done, 1
	t.Put(held.Key, rec)
	t.CountRated(held, float64(rating))
	return nil
}

// crawlHosts asks n URLs of hosts a, b, c, ..., of which each has as many as it has ratings to
// give: the i-th URL of a host is worth its i-th rating, and the queue knows it as well as the
// link's words say. It returns how often each host was asked, and how long that took.
func crawlHosts(t *testing.T, o queue.Options, n int, words, ratings map[string]float32) (asked map[string]int, took time.Duration) {
	t.Helper()
	ctx := context.Background()
	q, update := focusedQueue(t, o)
	var cs []frontier.Candidate
	for host, anchor := range words {
		for i := range n {
			cs = append(cs, frontier.Candidate{URL: at(t, fmt.Sprintf("%s.test/%d", host, i)), Signals: priority.Signals{Depth: 1, Anchor: anchor, Copy: anchor == foundOnCopies}})
		}
	}
	update(func(t *queue.Tx) error { return t.Add(q.Links(cs)) })
	asked = make(map[string]int)
	start := time.Now()
	for range n {
		l, err := q.Next(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		host := l.URL.Host()[:1]
		asked[host]++
		held, err := q.Hold(l, queue.Answer{Finished: time.Now(), Rest: o.Delay})
		if err != nil {
			t.Fatal(err)
		}
		update(func(t *queue.Tx) error { return bring(t, held, ratings[host]) })
	}
	return asked, time.Since(start)
}

// Host a looks best and has nothing; host c looks worst and has the topic.
func TestAFocusedCrawlFindsTheHostThatHasTheTopic(t *testing.T) {
	words := map[string]float32{"a": .5, "b": .4, "c": .3}
	ratings := map[string]float32{"a": .05, "b": .1, "c": .9}
	synctest.Test(t, func(t *testing.T) {
		o := queue.DefaultOptions()
		o.Delay = time.Second
		shares, took := crawlHosts(t, o, 60, words, ratings)
		if shares["a"] != 20 || shares["b"] != 20 || shares["c"] != 20 {
			t.Errorf("without patience: %v, want equal shares", shares)
		}
		if took > 25*time.Second {
			t.Errorf("without patience: %v for 60 requests to three hosts", took)
		}
		o.Patience = o.Delay
		if shares, _ = crawlHosts(t, o, 60, words, ratings); shares["a"] != 60 {
			t.Errorf("with patience and without exploring: %v, want the best URLs alone", shares)
		}
		o.Explore = .2
		shares, took = crawlHosts(t, o, 60, words, ratings)
		if shares["c"] < 6 || shares["a"] < 40 {
			t.Errorf("exploring one in five: %v, want the host that brings most among those tried", shares)
		}
		if took > time.Minute {
			t.Errorf("exploring: %v for 60 requests, want no more than one host alone takes", took)
		}
	})
}

// Of URLs of which nothing is known but a few points more or less, those of the host that has had something of the topic come
// first; a URL that more speaks for comes before them, and what is found only on copies stays last.
func TestURLsThatSayNothingCountAsTheirHostsPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := queue.DefaultOptions()
		o.Delay, o.Patience, o.Explore = time.Second, time.Second, .2
		words := map[string]float32{"a": .04, "b": .03}
		shares, _ := crawlHosts(t, o, 60, words, map[string]float32{"a": .02, "b": .3})
		if shares["b"] < 36 {
			t.Errorf("shares %v, want most of the host that has the topic", shares)
		}
		words["a"] = .1
		shares, _ = crawlHosts(t, o, 60, words, map[string]float32{"a": .02, "b": .3})
		if shares["a"] < 40 {
			t.Errorf("shares %v, want the host first whose links say more", shares)
		}
		words["a"], words["b"] = .01, foundOnCopies
		shares, _ = crawlHosts(t, o, 60, words, map[string]float32{"a": .02, "b": .3})
		if shares["b"] > 15 {
			t.Errorf("shares %v, want what was found only on copies last, but for exploring", shares)
		}
	})
	p := priority.DefaultOptions()
	if v := p.HostScore(.5, 9, 9); v != .5 {
		t.Errorf("a crawl without a topic counts %v for a host's URL with a score of .5", v)
	}
}

// Three points more, by how many pages link there, do not keep a crawl on a host whose pages had nothing: hosts that are all as
// poor take turns, and one whose pages had next to nothing leaves the others some.
func TestHostsThatHadNothingTakeTurns(t *testing.T) {
	for _, had := range []float32{0, .01} {
		synctest.Test(t, func(t *testing.T) {
			o := queue.DefaultOptions()
			o.Delay, o.Patience, o.Explore = time.Second, time.Second, 0
			shares, _ := crawlHosts(t, o, 60, map[string]float32{"a": .06, "b": .01, "c": .01}, map[string]float32{"a": had})
			if shares["b"] < 8 || shares["c"] < 8 || had == 0 && shares["a"] > 22 {
				t.Errorf("a host whose pages are %v on the topic, and two without it: %v, want turns", had, shares)
			}
		})
	}
}

// The first lease of a host brings its robots.txt and no page. A host that is explored is asked for a page before the next
// one is asked for its robots.txt.
func TestAnExploredHostIsAskedForAPageAfterItsRobotsTxt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := queue.DefaultOptions()
		o.Delay, o.Explore = 0, .2
		q, update := focusedQueue(t, o)
		var cs []frontier.Candidate
		for i := range 60 {
			host, anchor := "best", float32(.9)
			if i%3 == 0 {
				host, anchor = fmt.Sprint("unknown", i), 0
			}
			cs = append(cs, frontier.Candidate{URL: at(t, fmt.Sprintf("%s.test/%d", host, i)), Signals: priority.Signals{Depth: 1, Anchor: anchor}})
		}
		update(func(t *queue.Tx) error { return t.Add(q.Links(cs)) })
		robots, pages := make(map[string]bool), 0 // the hosts that were asked for theirs, and the pages of hosts but the best
		for range 41 {
			l, err := q.Next(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			l.Addr = "192.0.2.1:80"
			if host := l.URL.Host(); !robots[host] {
				robots[host] = true
				if _, err := q.Release(l, 0); err != nil {
					t.Fatal(err)
				}
				continue
			} else if host != "best.test" {
				pages++
			}
			held, err := q.Hold(l, queue.Answer{Finished: time.Now(), Addr: l.Addr})
			if err != nil {
				t.Fatal(err)
			}
			update(func(t *queue.Tx) error { return bring(t, held, .5) })
		}
		if pages < 3 || len(robots) > 6 {
			t.Errorf("in 41 leases, a fifth of them for exploring, %d pages of hosts that nothing is known of, and robots.txt of %d hosts; want one page for each robots.txt", pages, len(robots))
		}
	})
}

// Many front pages link to /docs, which redirects to /docs/. The page there is worth what its redirect was, and came after all
// links that were worth as much.
func TestTheTargetOfARedirectComesBeforeLinksThatAreWorthAsMuch(t *testing.T) {
	ctx := context.Background()
	o := queue.DefaultOptions()
	o.Delay = 0
	q, update := focusedQueue(t, o)
	candidate := func(path string, redirects uint8) frontier.Candidate {
		return frontier.Candidate{URL: at(t, "a.test"+path), Signals: priority.Signals{Depth: 1, Anchor: .1}, Trap: frontier.Trail{Redirects: redirects}}
	}
	better := candidate("/better", 0)
	better.Signals.Anchor = .2
	update(func(t *queue.Tx) error {
		return t.Add(q.Links([]frontier.Candidate{candidate("/docs", 0), candidate("/more", 0), better}))
	})
	var got []string
	for range 4 {
		l, err := q.Next(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, l.URL.Path())
		held, err := q.Hold(l, queue.Answer{Finished: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		update(func(t *queue.Tx) error {
			if err := bring(t, held, .5); err != nil || l.URL.Path() != "/docs" {
				return err
			}
			return t.Add(q.Links([]frontier.Candidate{candidate("/docs/", 1)}))
		})
	}
	if want := "[/better /docs /docs/ /more]"; fmt.Sprint(got) != want {
		t.Errorf("leased %v, want %s", got, want)
	}
}

// A redirect says nothing of a host that is explored, so that its target is asked for next; a host that has nothing but redirects
// does not keep the crawl.
func TestAnExploredHostIsAskedAgainAfterARedirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, all := range []bool{false, true} {
			o := queue.DefaultOptions()
			o.Delay, o.Explore = 0, .2
			q, update := focusedQueue(t, o)
			var cs []frontier.Candidate
			for host, anchor := range map[string]float32{"best": .9, "unknown": 0} {
				for i := range 100 {
					cs = append(cs, frontier.Candidate{URL: at(t, fmt.Sprintf("%s.test/%d", host, i)), Signals: priority.Signals{Depth: 1, Anchor: anchor}})
				}
			}
			update(func(t *queue.Tx) error { return t.Add(q.Links(cs)) })
			redirects, pages := 0, 0 // of the unknown host
			for range 50 {
				l, err := q.Next(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				held, err := q.Hold(l, queue.Answer{Finished: time.Now()})
				if err != nil {
					t.Fatal(err)
				}
				redirect := l.URL.Host() == "unknown.test" && (all || redirects == pages)
				switch {
				case redirect:
					redirects++
				case l.URL.Host() == "unknown.test":
					pages++
				}
				update(func(t *queue.Tx) error {
					if err := bring(t, held, .5); err != nil || !redirect {
						return err
					}
					rec := t.Changed(held.Key)
					rec.Rated = queue.Unrated
					return nil
				})
			}
			if !all && (redirects < 8 || pages < redirects-1) || all && redirects > 20 {
				t.Errorf("all of the host's URLs redirect %v: in 50 leases, a fifth of them for exploring, %d redirects and %d pages of a host of which nothing is known", all, redirects, pages)
			}
		}
	})
}

// A host that rests for longer than patience is not waited for.
func TestNobodyWaitsLongForABetterURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := queue.DefaultOptions()
		o.Delay, o.Patience = 10*time.Second, time.Second
		shares, _ := crawlHosts(t, o, 20, map[string]float32{"a": .5, "b": .1}, nil)
		if shares["b"] < 9 {
			t.Errorf("shares %v, want that the other host is asked meanwhile", shares)
		}
	})
}

// A URL whose page is to be compared comes before the others of its host, also when a link has changed what it is worth, and once.
func TestAURLThatIsToBeComparedComesFirst(t *testing.T) {
	o := queue.DefaultOptions()
	o.Delay = 0
	q, update := focusedQueue(t, o)
	candidate := func(path string, anchor float32) frontier.Candidate {
		return frontier.Candidate{URL: at(t, "a.test"+path), Signals: priority.Signals{Depth: 1, Anchor: anchor}}
	}
	update(func(t *queue.Tx) error {
		return t.Add(q.Links([]frontier.Candidate{candidate("/best", .9), candidate("/good", .5), candidate("/compared", .1)}))
	})
	compared := candidate("/compared", 0).URL.Key()
	for _, want := range []bool{true, false} {
		update(func(tx *queue.Tx) error {
			got, err := tx.Advance(compared, !want)
			if got != want {
				t.Errorf("advanced: %v, want %v", got, want)
			}
			if err != nil {
				return err
			}
			rec, err := tx.Get(compared)
			if err == nil && rec.Flags&queue.Trial != 0 == want {
				t.Errorf("advanced as a trial: %v, has the flag: %v", !want, want)
			}
			return err
		})
	}
	update(func(t *queue.Tx) error { return t.Add(q.Links([]frontier.Candidate{candidate("/compared", .2)})) })
	var got []string
	for range 3 {
		l, err := q.Next(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, l.URL.Path())
		held, err := q.Hold(l, queue.Answer{Finished: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		update(func(t *queue.Tx) error { return bring(t, held, .5) })
	}
	if want := "[/compared /best /good]"; fmt.Sprint(got) != want {
		t.Errorf("leased %v, want %s", got, want)
	}
	update(func(tx *queue.Tx) error {
		got, err := tx.Advance(compared, false)
		if got {
			t.Error("a URL that is done was advanced")
		}
		return err
	})
}

package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
)

// A queue is a job whose URLs are visited by a made-up fetch.
type queue struct {
	*testing.T
	s *store.Store
}

func openQueue(t *testing.T, o store.Options, urls ...string) queue {
	t.Helper()
	o.Filter.Capacity = 10_000
	s, err := store.Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeVerified(t, s) })
	q := queue{t, s}
	q.add(urls...)
	return q
}

func (q queue) add(urls ...string) {
	q.Helper()
	var cs []frontier.Candidate
	for _, s := range urls {
		u, err := weburl.Parse(s)
		if err != nil {
			q.Fatal(err)
		}
		cs = append(cs, frontier.Candidate{URL: u})
	}
	if _, err := q.s.Add(q.Context(), cs); err != nil {
		q.Fatal(err)
	}
}

func (q queue) next() frontier.Lease {
	q.Helper()
	l, err := q.s.Lend(q.Context())
	if err != nil {
		q.Fatalf("Next: %v", err)
	}
	return l
}

// none wants that there is nothing to lease for a while.
func (q queue) none(why string) {
	q.Helper()
	ctx, cancel := context.WithTimeout(q.Context(), 20*time.Millisecond)
	defer cancel()
	if l, err := q.s.Lend(ctx); !errors.Is(err, context.DeadlineExceeded) {
		q.Fatalf("Next = %v, %v; want it to wait: %s", l.URL, err, why)
	}
}

// answered settles a lease whose host answered at an IP address.
func (q queue) answered(l frontier.Lease, addr string) {
	q.Helper()
	l.Addr = addr
	q.settle(&page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{
		URL: l.URL.String(), Status: 404, Verdict: page.VerdictFailed, Failure: "http 404", Reason: "http 404",
	}})
}

// dead settles a lease whose host did not answer.
func (q queue) dead(l frontier.Lease) {
	q.Helper()
	q.settle(&page.Visit{Lease: l, Finished: time.Now(), Down: "connect: no route", Page: page.Record{
		URL: l.URL.String(), Verdict: page.VerdictFailed, Failure: "connect", Reason: "connect: no route",
	}})
}

func (q queue) settle(v *page.Visit) {
	q.Helper()
	if _, err := q.s.Settle(q.Context(), v); err != nil {
		q.Fatalf("Settle(%s): %v", v.Page.URL, err)
	}
}

func numbered(host string, n int) []string {
	var urls []string
	for i := range n {
		urls = append(urls, fmt.Sprintf("http://%s/%d", host, i))
	}
	return urls
}

func TestAHostThatDoesNotAnswerIsParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := store.DefaultOptions()
		o.Delay, o.ParkAfter, o.ParkFor = 0, 3, time.Hour
		q := openQueue(t, o, numbered("dead.test", 10)...)
		start := time.Now()
		for range 3 {
			q.dead(q.next())
		}
		if got := time.Since(start); got < 2*time.Second || got > 3*time.Second {
			t.Errorf("three failures took %v; want rests of 1 and 1 s between them", got)
		}
		if l, err := q.s.Lend(t.Context()); !errors.Is(err, frontier.ErrEmpty) {
			t.Fatalf("Next = %v, %v; want ErrEmpty: nothing is left but a parked host", l.URL, err)
		}
		if n := q.s.Totals(); n.ParkedHosts != 1 || n.Parked != 7 || n.Queued != 7 {
			t.Errorf("Totals = %+v; want 1 parked host with 7 urls", n)
		}
		w, err := q.s.Why(t.Context(), "http://dead.test/9")
		if err != nil || w.Host == nil || w.Host.Parked == nil || w.Host.Failure != "connect: no route" || w.Host.Failures != 3 {
			t.Errorf("Why = %+v, %v; want to hear that the host is parked and why", w.Host, err)
		}
		time.Sleep(time.Hour + time.Second)
		q.answered(q.next(), "")
		if n := q.s.Totals(); n.ParkedHosts != 0 || n.Parked != 0 {
			t.Errorf("Totals = %+v; want no parked host after one that answered", n)
		}
		q.next()
	})
}

// TestNoHostIsParkedWhileNoneAnswers lets a host answer and then be silent, alone
// or next to one that goes on to answer.
func TestNoHostIsParkedWhileNoneAnswers(t *testing.T) {
	for _, beside := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			o := store.DefaultOptions()
			o.Delay, o.ParkAfter, o.ParkFor = 0, 3, time.Hour
			q := openQueue(t, o, numbered("lost.test", 20)...)
			q.answered(q.next(), "")
			fails := 0
			for {
				l, err := q.s.Lend(t.Context())
				if errors.Is(err, frontier.ErrEmpty) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if l.URL.Host() == "well.test" {
					q.answered(l, "")
					continue
				}
				q.dead(l)
				if fails++; fails == 1 && beside {
					q.add(numbered("well.test", 1)...)
				}
			}
			want := 4 * o.ParkAfter
			if beside {
				want = o.ParkAfter
			}
			if fails != want {
				t.Errorf("another host answers: %v; parked after %d failures, want %d", beside, fails, want)
			}
		})
	}
}

func TestAParkedHostIsTriedOnceMoreWhenTheJobIsOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := store.DefaultOptions()
		o.Delay, o.ParkAfter = 0, 3
		dir := t.TempDir()
		for run := range 2 {
			s, err := store.Open(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			q := queue{t, s}
			tries := 1
			if run == 0 {
				q.add(numbered("dead.test", 10)...)
				tries = 3
			}
			for range tries {
				q.dead(q.next())
			}
			if l, err := s.Lend(t.Context()); !errors.Is(err, frontier.ErrEmpty) {
				t.Errorf("run %d: Next = %v, %v; want ErrEmpty", run, l.URL, err)
			}
			closeVerified(t, s)
		}
		o.ReadOnly = true
		s, err := store.Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if n := s.Totals(); n.ParkedHosts != 1 || n.Parked != 6 {
			t.Errorf("Totals for an inspector = %+v; want 1 parked host with 6 urls", n)
		}
	})
}

func TestHostsAtOneAddressShareItsConnections(t *testing.T) {
	o := store.DefaultOptions()
	o.Delay, o.PerIP = 0, 2
	var urls []string
	for i := range 6 {
		urls = append(urls, numbered(fmt.Sprintf("h%d.test", i), 2)...)
	}
	q := openQueue(t, o, urls...)
	for range 6 {
		q.answered(q.next(), "192.0.2.7:80")
	}
	a, b := q.next(), q.next()
	q.none("two requests to the address are under way")
	q.answered(a, "192.0.2.7:80")
	c := q.next()
	q.none("two requests to the address are under way again")
	q.add("http://elsewhere.test/1")
	if l := q.next(); l.URL.Host() != "elsewhere.test" {
		t.Errorf("Next = %s; want the host at another address", l.URL)
	}
	for _, l := range []frontier.Lease{b, c} {
		if err := q.s.Release(l, 0); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the room is there again, also where it was given back unused
		q.next()
	}
}

func TestAHostThatIsAnAddressCountsForItFromTheStart(t *testing.T) {
	o := store.DefaultOptions()
	o.Delay, o.PerIP = 0, 2
	q := openQueue(t, o)
	for _, host := range []string{"192.0.2.7", "192.0.2.7:81", "192.0.2.7:82", "[2001:db8::7]:81"} {
		q.add(numbered(host, 2)...)
	}
	lent := make(map[string]int)
	for range 3 {
		lent[q.next().URL.Hostname()]++
	}
	if lent["192.0.2.7"] != 2 {
		t.Errorf("of one address %d URLs were lent at once, want %d", lent["192.0.2.7"], o.PerIP)
	}
	q.none("two of its requests are under way")
}

func TestWithQueueByDomainOrIPTheDelayIsTheGroups(t *testing.T) {
	for _, c := range []struct {
		by   frontier.QueueBy
		host string // of the i-th queue
	}{
		{frontier.ByHost, "h%d.one.example"},
		{frontier.ByDomain, "h%d.one.example"},
		{frontier.ByIP, "h%d.example"},
	} {
		t.Run(string(c.by), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := store.DefaultOptions()
				o.Delay, o.QueueBy = time.Second, c.by
				var urls []string
				for i := range 3 {
					urls = append(urls, numbered(fmt.Sprintf(c.host, i), 3)...)
				}
				q := openQueue(t, o, urls...)
				if c.by == frontier.ByIP { // the IP address is known from then on
					for range 3 {
						q.answered(q.next(), "192.0.2.7:80")
					}
				}
				var last time.Time
				together := 0
				n := int(q.s.Totals().Queued)
				for range n {
					l := q.next()
					if time.Since(last) < o.Delay {
						together++
					}
					last = time.Now()
					q.answered(l, "192.0.2.7:80")
				}
				if (together > 0) != (c.by == frontier.ByHost) {
					t.Errorf("of %d requests %d came less than %v after another", n, together, o.Delay)
				}
			})
		})
	}
}

// TestAHostIsNotForgottenForOthers has a host that was the first of so many whose
// next URLs are at hand that no more fit, when its own have to be read once more.
func TestAHostIsNotForgottenForOthers(t *testing.T) {
	t.Parallel()
	const hosts, pages = 10_000, 40
	o := store.DefaultOptions()
	o.Delay = 0
	q := openQueue(t, o)
	q.add("http://long.example/first")
	q.answered(q.next(), "")
	var others []string
	for i := range hosts - 1 {
		others = append(others, fmt.Sprintf("http://h%d.example/", i))
	}
	q.add(others...)
	drain(q)
	q.add(numbered("long.example", pages)...)
	drain(q)
	if got := q.s.Totals(); got.Queued != 0 || got.Pages != hosts+pages {
		t.Errorf("the crawl ended with %d URLs in the queue and %d pages, want 0 and %d", got.Queued, got.Pages, hosts+pages)
	}
}

// drain visits what is in the queue, some at once.
func drain(q queue) {
	var g sync.WaitGroup
	for range 64 {
		g.Go(func() { // ends with the queue
			for {
				l, err := q.s.Lend(q.Context())
				if errors.Is(err, frontier.ErrEmpty) {
					return
				}
				if err != nil {
					q.Errorf("Next: %v", err)
					return
				}
				q.answered(l, "")
			}
		})
	}
	g.Wait()
}

func TestHostsThatNeverAnsweredLeaveRoomForOthers(t *testing.T) {
	o := store.DefaultOptions()
	o.Delay, o.MaxProbes = 0, 3
	q := openQueue(t, o, "http://good.test/1", "http://good.test/2")
	q.answered(q.next(), "")
	for i := range 10 {
		q.add(fmt.Sprintf("http://silent%d.test/", i))
	}
	silent := 0
	for range 4 {
		if l := q.next(); strings.HasPrefix(l.URL.Host(), "silent") {
			silent++
		}
	}
	if silent != 3 {
		t.Errorf("%d of 4 leases are of hosts that never answered; want 3", silent)
	}
	q.none("three hosts that never answered are being asked")
}

// TestNoTwoRequestsAreCloserThanTheDelay lets many workers ask many hosts that fail,
// are slow, have retries and are handed back, with time that costs nothing.
func TestNoTwoRequestsAreCloserThanTheDelay(t *testing.T) {
	for _, by := range []frontier.QueueBy{frontier.ByHost, frontier.ByDomain, frontier.ByIP} {
		t.Run(string(by), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { crowd(t, by) })
		})
	}
}

func crowd(t *testing.T, by frontier.QueueBy) {
	o := store.DefaultOptions()
	o.Delay, o.QueueBy, o.ParkAfter, o.Lease = time.Second, by, 0, 5*time.Second
	var urls []string
	for i := range 12 {
		urls = append(urls, numbered(fmt.Sprintf("h%d.d%d.example", i, i%4), 8)...)
	}
	q := openQueue(t, o, urls...)
	name := func(l frontier.Lease) string {
		switch by {
		case frontier.ByDomain:
			return l.URL.Domain()
		case frontier.ByIP:
			return l.URL.Host()[:2]
		}
		return l.URL.Host()
	}
	var mu sync.Mutex
	end := make(map[string]time.Time)
	tried := make(map[string]int)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { // ends with the queue
			for {
				l, err := q.s.Lend(t.Context())
				if err != nil {
					if !errors.Is(err, frontier.ErrEmpty) {
						t.Errorf("Next: %v", err)
					}
					return
				}
				mu.Lock()
				tried[l.URL.String()]++
				try := tried[l.URL.String()]
				group := name(l)
				known := by != frontier.ByIP || l.URL.Path() != "/0" || try > 1
				if gap := time.Since(end[group]); known && gap < o.Delay {
					t.Errorf("%s is asked %v after the last request to %s; want %v", l.URL, gap, group, o.Delay)
				}
				end[group] = time.Now().Add(time.Hour) // under way
				mu.Unlock()
				time.Sleep(time.Duration(try) * 170 * time.Millisecond) // of synctest's clock
				mu.Lock()
				end[group] = time.Now()
				mu.Unlock()
				l.Addr = "192.0.2." + strings.TrimPrefix(l.URL.Host()[:2], "h") + ":80"
				v := &page.Visit{Lease: l, Finished: time.Now(), Rest: o.Delay, Page: page.Record{
					URL: l.URL.String(), Status: 404, Verdict: page.VerdictFailed, Failure: "http 404", Reason: "http 404",
				}}
				switch path := l.URL.Path(); {
				case path == "/1" && try == 1: // as after a request for robots.txt
					if err := q.s.Release(l, o.Delay); err != nil {
						t.Errorf("Release: %v", err)
					}
					continue
				case path == "/2" && try < 3:
					v.Retry = 3 * time.Second
				case path == "/3":
					v.Down = "connect: refused"
				}
				if _, err := q.s.Settle(t.Context(), v); err != nil {
					t.Errorf("Settle: %v", err)
				}
			}
		})
	}
	all.Wait()
	if n := q.s.Totals(); n.Pages != int64(len(urls)) {
		t.Errorf("%d records, want %d", n.Pages, len(urls))
	}
}

// TestARestThatAHostAsksForIsBetweenAllItsRequests: four workers may ask a host at once, until its
// robots.txt is known to have a Crawl-delay.
func TestARestThatAHostAsksForIsBetweenAllItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rest = 10 * time.Second
		o := store.DefaultOptions()
		o.Delay, o.PerHost = 0, 4
		q := openQueue(t, o, numbered("a.test", 12)...)
		var mu sync.Mutex
		var asked []time.Time
		var all sync.WaitGroup
		known := false
		for range 4 {
			all.Go(func() { // ends with the queue
				for {
					l, err := q.s.Lend(t.Context())
					if err != nil {
						return
					}
					mu.Lock()
					if l.URL.Path() == "/7" { // nothing is sent for a URL that robots.txt excludes
						mu.Unlock()
						if _, err := q.s.Settle(t.Context(), &page.Visit{Lease: l, Page: page.Record{URL: l.URL.String(), Verdict: page.VerdictRefused, Reason: "robots.txt"}}); err != nil {
							t.Errorf("Settle: %v", err)
						}
						continue
					}
					if known {
						asked = append(asked, time.Now())
					}
					mu.Unlock()
					time.Sleep(100 * time.Millisecond) // of synctest's clock
					mu.Lock()
					known = true
					mu.Unlock()
					v := &page.Visit{Lease: l, Finished: time.Now(), Rest: rest, Page: page.Record{
						URL: l.URL.String(), Status: 404, Verdict: page.VerdictFailed, Failure: "http 404", Reason: "http 404",
					}}
					if _, err := q.s.Settle(t.Context(), v); err != nil {
						t.Errorf("Settle: %v", err)
					}
				}
			})
		}
		all.Wait()
		if len(asked) < 7 {
			t.Fatalf("%d requests after the first answer", len(asked))
		}
		for i := range asked[1:] {
			if gap := asked[i+1].Sub(asked[i]); gap < rest || gap > 2*rest {
				t.Errorf("request %d comes %v after the one before, want %v", i+1, gap, rest)
			}
		}
	})
}

func TestAJobThatIsOpenedAgainLetsItsHostsRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := store.DefaultOptions()
		o.Delay = 2 * time.Second
		dir := t.TempDir()
		s, err := store.Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		q := queue{t, s}
		q.add(numbered("a.test", 3)...)
		q.answered(q.next(), "")
		closeVerified(t, s)
		start := time.Now()
		if s, err = store.Open(dir, o); err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		queue{t, s}.next()
		if got := time.Since(start); got < o.Delay {
			t.Errorf("asked %v after the job was opened again; want %v", got, o.Delay)
		}
	})
}

// TestWhyNamesTheAddressUnderWhichALinkIsFollowed asks for URLs as pages have them.
func TestWhyNamesTheAddressUnderWhichALinkIsFollowed(t *testing.T) {
	q := openQueue(t, store.DefaultOptions(), "http://a.test/x", "http://a.test/y?n=1")
	for asked, want := range map[string]string{
		"http://a.test/x?PHPSESSID=abcdef0123456789abcdef0123456789": "http://a.test/x",
		"http://a.test/y?utm_source=mail&n=1":                        "http://a.test/y?n=1",
		"http://a.test/z?utm_source=mail":                            "",
	} {
		_, err := q.s.Why(t.Context(), asked)
		if !errors.Is(err, gatecrawl.ErrUnknown) || strings.HasSuffix(err.Error(), "followed as "+want) != (want != "") {
			t.Errorf("Why(%s) = %v; want that it is not known, and %q", asked, err, want)
		}
	}
}

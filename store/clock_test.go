package store_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
)

// A clockJob is a job with a host of each kind that has to be left alone for a while.
const (
	slowHost = "slow.test" // has a Crawl-delay
	busyHost = "busy.test" // sent a Retry-After, and its page waits for another try
	toldHost = "told.test" // was asked for its robots.txt alone
	deadHost = "dead.test" // is parked

	slowRest, busyRest, toldRest = time.Minute, 2 * time.Minute, 90 * time.Second
)

func clockOptions() store.Options {
	o := store.DefaultOptions()
	o.ParkAfter = 1
	return o
}

// stopClockJob starts such a job and closes it.
func stopClockJob(t *testing.T, dir string) {
	s, err := store.Open(dir, clockOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer closeVerified(t, s)
	startClockJob(t, s)
}

// startClockJob asks each host once.
func startClockJob(t *testing.T, s *store.Store) {
	q := queue{t, s}
	for _, host := range []string{slowHost, busyHost, toldHost, deadHost} {
		q.add(numbered(host, 2)...)
	}
	for range 4 {
		l := q.next()
		v := &page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{
			URL: l.URL.String(), Status: 404, Verdict: page.VerdictFailed, Failure: "http 404", Reason: "http 404",
		}}
		switch l.URL.Host() {
		case slowHost:
			v.Rest = slowRest
		case busyHost:
			v.Rest, v.Retry = busyRest, busyRest
		case deadHost:
			v.Down, v.Page.Status = "connect: no route", 0
		case toldHost:
			if err := s.Release(l, toldRest); err != nil {
				t.Fatal(err)
			}
			continue
		}
		q.settle(v)
	}
}

// TestNobodyIsAskedTooEarlyOrForgottenWhereTheClockJumps stops a job and goes on with
// it with the clock as it was, set back by an hour and by years, and set ahead.
func TestNobodyIsAskedTooEarlyOrForgottenWhereTheClockJumps(t *testing.T) {
	// In a bubble it is midnight, January 1, 2000, whenever it starts.
	for name, c := range map[string]struct{ before, after time.Duration }{
		"as it was":  {0, 0},
		"back":       {time.Hour, 0},
		"far back":   {26 * 365 * 24 * time.Hour, 0},
		"ahead":      {0, time.Hour},
		"a bit back": {time.Minute, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(c.before)
				stopClockJob(t, dir)
			})
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(c.after)
				first, retried := goOnWithClockJob(t, dir)
				for host, rest := range map[string]time.Duration{slowHost: slowRest, busyHost: busyRest, toldHost: toldRest, deadHost: time.Second} {
					if got, ok := first[host]; !ok || got < rest || got > rest+time.Second {
						t.Errorf("%s is asked after %v, %v; want %v", host, got, ok, rest)
					}
				}
				if longest := clockOptions().MaxRest; retried < busyRest || retried > longest+busyRest {
					t.Errorf("the other try comes after %v; want %v to %v", retried, busyRest, longest+busyRest)
				}
			})
		})
	}
}

// goOnWithClockJob returns how long after the opening each host was asked first, and
// the page that has another try.
func goOnWithClockJob(t *testing.T, dir string) (first map[string]time.Duration, retried time.Duration) {
	s, err := store.Open(dir, clockOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer closeVerified(t, s)
	start, q := time.Now(), queue{t, s}
	first = make(map[string]time.Duration)
	for range 6 { // two pages of each host, less the two that are settled
		l := q.next()
		if _, ok := first[l.URL.Host()]; !ok {
			first[l.URL.Host()] = time.Since(start)
		}
		if l.Attempt > 0 {
			retried = time.Since(start)
		}
		q.answered(l, "")
	}
	return first, retried
}

// TestNobodyIsAskedTooEarlyOrForgottenWhereTheClockJumpsDuringARun sets the clock while
// hosts rest, one is parked, and a page waits for another try.
func TestNobodyIsAskedTooEarlyOrForgottenWhereTheClockJumpsDuringARun(t *testing.T) {
	for name, jump := range map[string]time.Duration{
		"not at all": 0, "back": -time.Hour, "a bit back": -time.Minute, "ahead": time.Hour, "far ahead": 1000 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := store.Open(t.TempDir(), clockOptions())
				if err != nil {
					t.Fatal(err)
				}
				defer closeVerified(t, s)
				startClockJob(t, s)
				s.SetWall(func() time.Time { return time.Now().Add(jump) })
				ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
				defer cancel()
				longest := clockOptions().MaxRest
				first, retried := make(map[string]time.Duration), time.Duration(0)
				for start, q := time.Now(), (queue{t, s}); ; {
					l, err := s.Lend(ctx)
					if errors.Is(err, frontier.ErrEmpty) { // but for the host that is parked
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					if _, ok := first[l.URL.Host()]; !ok {
						first[l.URL.Host()] = time.Since(start)
					}
					if l.Attempt > 0 {
						retried = time.Since(start)
					}
					q.answered(l, "")
				}
				for host, rest := range map[string]time.Duration{slowHost: slowRest, busyHost: busyRest, toldHost: toldRest} {
					if got, ok := first[host]; !ok || got < rest || got > rest+time.Second {
						t.Errorf("%s is asked after %v, %v; want %v", host, got, ok, rest)
					}
				}
				if retried < busyRest || retried > longest+busyRest {
					t.Errorf("the other try comes after %v; want %v to %v", retried, busyRest, longest+busyRest)
				}
				if n := s.Totals(); n.Queued != 1 || n.Parked != 1 || n.Later != 0 {
					t.Errorf("%d addresses wait, %d of them on parked hosts, and %d for another try; want that of the parked host", n.Queued, n.Parked, n.Later)
				}
				time.Sleep(clockOptions().ParkFor)
				if l, err := s.Lend(ctx); err != nil || l.URL.Host() != deadHost {
					t.Errorf("after its time the parked host is not asked: %v, %v", l.URL, err)
				}
			})
		})
	}
}

// TestALeaseEndsInItsTimeWhereverTheClockIsSet lends a page that never comes back.
func TestALeaseEndsInItsTimeWhereverTheClockIsSet(t *testing.T) {
	for _, jump := range []time.Duration{-time.Hour, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			q := openQueue(t, clockOptions(), "http://a.test/")
			start := time.Now()
			first := q.next()
			q.s.SetWall(func() time.Time { return time.Now().Add(jump) })
			if again := q.next(); again.URL != first.URL || time.Since(start) != clockOptions().Lease {
				t.Errorf("clock set by %v: %v was lent again after %v, want %v", jump, again.URL, time.Since(start), clockOptions().Lease)
			}
		})
	}
}

// TestRetriesComeBackWhereTheClockWasSetBackAmidOthers has a retry from before a step
// of the clock and others that never end.
func TestRetriesComeBackWhereTheClockWasSetBackAmidOthers(t *testing.T) {
	dir := t.TempDir()
	o := store.DefaultOptions()
	open := func(t *testing.T, url string) queue {
		s, err := store.Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		q := queue{t, s}
		q.add(url)
		return q
	}
	busy := func(q queue, l frontier.Lease) {
		q.settle(&page.Visit{Lease: l, Finished: time.Now(), Retry: time.Minute, Page: page.Record{URL: l.URL.String(), Status: 503}})
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		q := open(t, "http://before.test/")
		defer closeVerified(t, q.s)
		busy(q, q.next())
	})
	synctest.Test(t, func(t *testing.T) {
		q := open(t, "http://after.test/")
		defer closeVerified(t, q.s)
		for start := time.Now(); ; {
			l := q.next()
			busy(q, l)
			if l.URL.Host() == "before.test" {
				return
			}
			if waited := time.Since(start); waited > o.MaxRest {
				t.Fatalf("the page from before the clock was set back has not come back in %v", waited)
			}
		}
	})
}

// TestAPageFromTheFutureIsAskedForAgain has a page that was fetched before the clock
// was set back.
func TestAPageFromTheFutureIsAskedForAgain(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		s, err := store.Open(dir, store.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		defer closeVerified(t, s)
		q := queue{t, s}
		q.add("http://a.test/")
		l := q.next()
		q.settle(&page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{
			URL: l.URL.String(), Fetched: time.Now(), Status: 404, Verdict: page.VerdictFailed, Failure: "http 404", Reason: "http 404",
		}})
	})
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(dir, store.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		defer closeVerified(t, s)
		if n, err := s.Requeue(t.Context(), gatecrawl.Again{Before: time.Now(), Copies: 1}); n.Asked != 1 || err != nil {
			t.Errorf("Requeue = %+v, %v; want the page to be queued", n, err)
		}
	})
}

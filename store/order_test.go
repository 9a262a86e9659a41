package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store"
)

// An entry is what a plain list knows of a queued URL.
type entry struct {
	url   weburl.URL
	score float32
	order int
	lent  bool
}

// A plainQueue is a frontier as lists that are searched from end to end.
type plainQueue struct {
	perHost int
	hosts   map[string][]*entry
	met     map[string]*entry
	orders  int
}

func (q *plainQueue) add(u weburl.URL, score float32) {
	q.orders++
	if e := q.met[u.String()]; e != nil {
		e.score = max(e.score, score)
		return
	}
	e := &entry{url: u, score: score, order: q.orders}
	q.met[u.String()] = e
	q.hosts[u.Host()] = append(q.hosts[u.Host()], e)
}

// best returns a host's next entry; nil where it has none or is at its limit.
func (q *plainQueue) best(host string) *entry {
	var best *entry
	lent := 0
	for _, e := range q.hosts[host] {
		switch {
		case e.lent:
			lent++
		case best == nil, e.score > best.score, e.score == best.score && e.order < best.order:
			best = e
		}
	}
	if lent >= q.perHost {
		return nil
	}
	return best
}

// score returns that of the best entry of all hosts; ok is false where none may be lent.
func (q *plainQueue) score() (score float32, ok bool) {
	for host := range q.hosts {
		if e := q.best(host); e != nil && (!ok || e.score > score) {
			score, ok = e.score, true
		}
	}
	return score, ok
}

func (q *plainQueue) settle(e *entry) {
	host := e.url.Host()
	q.hosts[host] = slices.DeleteFunc(q.hosts[host], func(x *entry) bool { return x == e })
	e.score = 1e9 // it is done: no link raises it
}

// TestNextLendsWhatAPlainListWould adds, lends, raises, settles and hands back at
// random, opens the job again now and then, and wants of each lease that it is the best.
func TestNextLendsWhatAPlainListWould(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	o := store.DefaultOptions()
	o.Delay, o.PerHost, o.PerIP, o.QueueMemory, o.Filter.Capacity = 0, 2, 0, 20_000, 10_000
	dir := t.TempDir()
	open := func() *store.Store {
		s, err := store.Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	plain := &plainQueue{perHost: o.PerHost, hosts: make(map[string][]*entry), met: make(map[string]*entry)}
	var leases []frontier.Lease
	take := func() (l frontier.Lease, e *entry) {
		i := rng.IntN(len(leases))
		l = leases[i]
		leases = slices.Delete(leases, i, i+1)
		e = plain.met[l.URL.String()]
		e.lent = false
		return l, e
	}
	// Many are equal, and some are so close that the scheduler may take them for equal.
	seeds := []float32{1, 1.0001, 1.001, 2, 2.001, 3, 4, 4.05}
	candidate := func() frontier.Candidate {
		u, err := weburl.Parse(fmt.Sprintf("http://h%d.test/%d", rng.IntN(30), rng.IntN(150)))
		if err != nil {
			t.Fatal(err)
		}
		return frontier.Candidate{URL: u, Signals: priority.Signals{Seed: seeds[rng.IntN(len(seeds))]}}
	}
	learn := func(c frontier.Candidate) { plain.add(c.URL, o.Priority.Score(c.Signals)) }
	for range 1500 {
		switch n := rng.IntN(100); {
		case n < 12:
			var cs []frontier.Candidate
			for range 1 + rng.IntN(40) {
				if c := candidate(); !slices.ContainsFunc(cs, func(x frontier.Candidate) bool { return x.URL == c.URL }) {
					cs = append(cs, c)
				}
			}
			if _, err := s.Add(t.Context(), cs); err != nil {
				t.Fatal(err)
			}
			for _, c := range cs {
				learn(c)
			}
		case n < 62:
			want, ok := plain.score()
			if !ok {
				continue
			}
			l, err := s.Lend(t.Context())
			if err != nil {
				t.Fatalf("Next: %v", err)
			}
			e := plain.met[l.URL.String()]
			if l.Score != want || plain.best(l.URL.Host()) != e {
				t.Fatalf("Next = %s with score %v, want %v and of that host %v", l.URL, l.Score, want, plain.best(l.URL.Host()))
			}
			e.lent = true
			leases = append(leases, l)
		case n < 92 && len(leases) > 0:
			l, e := take()
			v := &page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{
				URL: l.URL.String(), Status: 404, Verdict: page.VerdictFailed, Failure: "http 404", Reason: "http 404",
			}}
			if rng.IntN(2) == 0 {
				v.Links = []frontier.Candidate{candidate()}
			}
			if _, err := s.Settle(t.Context(), v); err != nil {
				t.Fatal(err)
			}
			plain.settle(e)
			for _, c := range v.Links {
				learn(c)
			}
		case n < 99 && len(leases) > 0:
			l, _ := take()
			if err := s.Release(l, 0); err != nil {
				t.Fatal(err)
			}
		case n == 99:
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open()
			for _, l := range leases {
				plain.met[l.URL.String()].lent = false
			}
			leases = nil
		}
	}
	closeVerified(t, s)
}

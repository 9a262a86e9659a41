package store

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/frontier"
)

func TestEveryCopyHasItsTurn(t *testing.T) {
	for _, share := range []float64{0, 0.02, 0.3, 1} {
		turns := 1
		if share > 0 {
			turns = int(math.Ceil(1 / share))
		}
		for n := range 200 {
			u, err := frontier.Parse(fmt.Sprintf("http://m%d.test/p", n))
			if err != nil {
				t.Fatal(err)
			}
			times := 0
			for turn := range turns {
				if sampled(u.Key(), uint64(turn+n), share) {
					times++
				}
			}
			if want := min(1, math.Ceil(share)); float64(times) < want || times > 2 {
				t.Errorf("with a share of %v a copy is asked %d times in %d turns, want %v or once more", share, times, turns, want)
			}
		}
	}
}

func TestAVisitIsWorthMostWhereItLasts(t *testing.T) {
	for _, c := range []struct {
		what                             string
		rate, days, lessRate, lessDaysOf float64
	}{
		{"of two alike, who was visited longest ago", 1, 3, 1, 2},
		{"of two visited together, who changes", .1, 1, .001, 1},
		{"not who changes all the time", .5, 2, 100, 2},
		{"nor who changes all the time and waits long", .5, 2, 100, 2000},
	} {
		if a, b := worth(c.rate, c.days), worth(c.lessRate, c.lessDaysOf); a <= b {
			t.Errorf("%s: a visit is worth %v, and %v of the other", c.what, a, b)
		}
	}
	for _, rate := range []float64{1e-300, leastRate, 1, 1e300} {
		for _, days := range []float64{-1, 0, 1e-9, 1e-3, 1e3, 1e300} {
			if w := worth(rate, days); !(w >= leastWorth && w <= mostWorth) {
				t.Errorf("worth(%g, %g) = %v, want %v to %v", rate, days, w, leastWorth, mostWorth)
			}
		}
	}
}

// A policy says which pages are visited: those with the most.
type policy func(r rateRecord, mean, days float64) float64

// simulate lets pages change at rates of once in 3000 days to 10 times a day, visits
// a tenth of them each day, and returns the mean share of them that are as they were
// seen last, and how many visits of a hundred found a change.
func simulate(seed uint64, by policy) (share, found float64) {
	const pages, days, warm = 400, 240, 60
	dice := rand.New(rand.NewPCG(seed, 1))
	type page struct {
		rate, changed, visited float64
		r                      rateRecord
	}
	all := make([]page, pages)
	for i := range all {
		all[i].rate = math.Exp(math.Log(1./3000) + dice.Float64()*math.Log(30_000))
		all[i].changed = -1 // before the first visit
	}
	began := time.Unix(0, 0)
	at := func(day float64) time.Time { return began.Add(time.Duration(day * 24 * float64(time.Hour))) }
	visits, changes := 0, 0
	for day := 1.; day <= days; day++ {
		mean, n := 0., 0
		for i := range all {
			p := &all[i]
			if dice.Float64() < -math.Expm1(-p.rate) {
				p.changed = day - dice.Float64()
			}
			if p.r.visits > 0 {
				mean, n = mean+p.r.perDay(), n+1
			}
		}
		mean = max(leastRate, mean/float64(max(n, 1)))
		order := make([]*page, pages)
		for i := range all {
			order[i] = &all[i]
		}
		slices.SortStableFunc(order, func(a, b *page) int {
			return cmp.Compare(by(b.r, mean, day-b.visited), by(a.r, mean, day-a.visited))
		})
		for _, p := range order[:pages/10] {
			changed := p.changed > p.visited
			p.r = p.r.visited(at(p.visited), at(day), changed)
			p.visited = day
			if day > warm {
				visits++
				if changed {
					changes++
				}
			}
		}
		if day > warm {
			for i := range all {
				if all[i].changed <= all[i].visited {
					share++
				}
			}
		}
	}
	return share / pages / (days - warm), 100 * float64(changes) / float64(visits)
}

func TestVisitsByWorthKeepMorePagesAsTheyAre(t *testing.T) {
	policies := []struct {
		name string
		by   policy
	}{
		{"oldest first", func(_ rateRecord, _, days float64) float64 { return days }},
		{"likeliest to have changed first", func(r rateRecord, mean, days float64) float64 { return r.shrunk(mean) * days }},
		{"by worth", func(r rateRecord, mean, days float64) float64 { return float64(worth(r.shrunk(mean), days)) }},
	}
	shares := make([]float64, len(policies))
	const seeds = 3
	for i, p := range policies {
		found := 0.
		for seed := range uint64(seeds) {
			s, f := simulate(seed, p.by)
			shares[i], found = shares[i]+s/seeds, found+f/seeds
		}
		t.Logf("%s: %.1f%% of the pages are as they were seen; %.1f%% of visits found a change", p.name, 100*shares[i], found)
	}
	if shares[2] <= shares[0] || shares[2] <= shares[1] {
		t.Errorf("pages that are as they were seen: %.3f by worth, %.3f oldest first, %.3f likeliest first: want the first most",
			shares[2], shares[0], shares[1])
	}
}

// settled makes a job of documents, each kept, and returns it.
func settled(t *testing.T, dir string, n int) *Store {
	t.Helper()
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	var cs []frontier.Candidate
	for i := range n {
		u, err := frontier.Parse(fmt.Sprintf("http://h%d.test/", i))
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, frontier.Candidate{URL: u})
	}
	if _, err := s.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	visitAll(t, s, n, time.Now())
	return s
}

// visitAll settles as many leases as documents, asked for at a time.
func visitAll(t *testing.T, s *Store, n int, at time.Time) (urls []string) {
	t.Helper()
	for range n {
		l, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sig := dedup.Signature{Bytes: dedup.DigestOf([]byte(l.URL.String()))}
		v := &gatecrawl.Visit{
			Lease: l, Finished: time.Now(), Sign: &sig,
			Page: gatecrawl.Page{URL: l.URL.String(), Status: 200, Digest: sig.Bytes.String(), Fetched: at},
		}
		if _, err := s.Settle(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		urls = append(urls, l.URL.String())
	}
	return urls
}

func TestOfManyPagesThoseAreAskedThatPayMost(t *testing.T) {
	s := settled(t, t.TempDir(), 12)
	defer s.Close()
	weekAgo := time.Now().Add(-7 * 24 * time.Hour)
	err := s.write(func(t *txn) error { // that changed each day, twice a week, never
		for seq := uint64(1); seq <= 12; seq++ {
			p, v, err := t.page(seq)
			if err != nil {
				return err
			}
			p.Fetched = weekAgo
			if err := t.pages.Put(seqKey(seq), encodePage(&p, v)); err != nil {
				return err
			}
			changes := []uint64{7, 2, 0}[seq%3]
			if err := t.putRate(seq, seq, rateRecord{visits: 7, changes: changes, seconds: 7 * 86400}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.Requeue(t.Context(), gatecrawl.Again{Before: time.Now(), Pages: 5})
	if err != nil || n.Asked != 5 || n.Put != 7 {
		t.Fatalf("Requeue of at most 5 of 12 = %+v, %v; want 5 asked and 7 put off", n, err)
	}
	var changes []uint64
	for _, u := range visitAll(t, s, 5, time.Now()) {
		w, err := s.Why(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, w.Changes.Changes)
		if sum := func() (f float32) {
			for _, term := range w.Terms {
				f += term.Value
			}
			return f
		}(); w.Score != sum {
			t.Errorf("%s scores %v when it is settled, and its terms are %v", u, w.Score, sum)
		}
	}
	if want := []uint64{2, 2, 2, 2}; !slices.Equal(changes[:4], want) || changes[4] == 2 {
		t.Errorf("in the order of the visits the pages had changed %v times, want %v first", changes, want)
	}
}

func TestARequeueThatWasCutShortIsBroughtToItsEnd(t *testing.T) {
	dir := t.TempDir()
	s := settled(t, dir, 10)
	if err := s.Stopped(string(gatecrawl.Done)); err != nil || !s.Finished() {
		t.Fatalf("Stopped = %v; a job of which nothing is left is finished: %v", err, s.Finished())
	}
	var n gatecrawl.Requeued
	if err := s.beginAgain(t.Context(), gatecrawl.Again{Before: time.Now(), Copies: 1}, &n); err != nil {
		t.Fatal(err)
	}
	if s.Finished() {
		t.Error("a job is finished of which a re-crawl has begun")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, want := range []int{10, 0} {
		if n, err := s.Requeue(t.Context(), gatecrawl.Again{}); err != nil || n.Asked != want {
			t.Errorf("Requeue of nothing more = %+v, %v; want %d asked", n, err, want)
		}
	}
	visitAll(t, s, 10, time.Now())
}

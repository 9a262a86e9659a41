package revisit

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

func TestEveryCopyHasItsTurn(t *testing.T) {
	for _, share := range []float64{0, 0.02, 0.3, 1} {
		turns := 1
		if share > 0 {
			turns = int(math.Ceil(1 / share))
		}
		for n := range 200 {
			u, err := weburl.Parse(fmt.Sprintf("http://m%d.test/p", n))
			if err != nil {
				t.Fatal(err)
			}
			times := 0
			for turn := range turns {
				if isDrawn(u.Key(), uint64(turn+n), share) {
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
type policy func(r Rate, mean, days float64) float64

// simulate lets pages change at rates of once in 3000 days to 10 times a day, visits
// a tenth of them each day, and returns the mean share of them that are as they were
// seen last, and how many visits of a hundred found a change.
func simulate(seed uint64, by policy) (share, found float64) {
	const pages, days, warm = 400, 180, 60
	rng := rand.New(rand.NewPCG(seed, 1))
	type page struct {
		rate, changed, visited float64
		r                      Rate
	}
	all := make([]page, pages)
	for i := range all {
		all[i].rate = math.Exp(math.Log(1./3000) + rng.Float64()*math.Log(30_000))
		all[i].changed = -1 // before the first visit
	}
	start := time.Unix(0, 0)
	at := func(day float64) time.Time { return start.Add(time.Duration(day * 24 * float64(time.Hour))) }
	visits, changes := 0, 0
	for day := 1.; day <= days; day++ {
		mean, n := 0., 0
		for i := range all {
			p := &all[i]
			if rng.Float64() < -math.Expm1(-p.rate) {
				p.changed = day - rng.Float64()
			}
			if p.r.Visits > 0 {
				mean, n = mean+p.r.PerDay(), n+1
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
			p.r = p.r.Visited(at(p.visited), at(day), changed)
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
		{"oldest first", func(_ Rate, _, days float64) float64 { return days }},
		{"likeliest to have changed first", func(r Rate, mean, days float64) float64 { return r.shrunk(mean) * days }},
		{"by worth", func(r Rate, mean, days float64) float64 { return float64(worth(r.shrunk(mean), days)) }},
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

// Visits of a URL without a document are counted as long as it answers the same, and from one
// on when it answers otherwise.
func TestARedirectThatLeadsElsewhereIsCountedFromTheStart(t *testing.T) {
	j := newTestJob(t)
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	old := page.Record{Seq: 1, Status: 301, Location: "http://b.example/", Fetched: day(1)}
	for _, c := range []struct {
		now  page.Record
		want uint64
	}{
		{page.Record{Status: 301, Location: "http://b.example/", Fetched: day(2)}, 1},
		{page.Record{Status: 301, Location: "http://b.example/", Fetched: day(3)}, 2},
		{page.Record{Status: 301, Location: "http://c.example/", Fetched: day(4)}, 0},
		{page.Record{Status: 404, Location: "", Fetched: day(5)}, 0},
	} {
		var got uint64
		j.update(func(tx kv.Tx) (err error) {
			got, err = CountWithoutDocument(tx, &old, &c.now)
			return err
		})
		if got != c.want {
			t.Errorf("after an answer %d %s: %d visits, want %d", c.now.Status, c.now.Location, got, c.want)
		}
		seq := old.Seq
		old = c.now
		old.Seq = seq
	}
}

// A scanned reader counts how often a table was read.
type scanned struct {
	kv.Reader
	times int
}

func (s *scanned) Scan(t *kv.Table, from, to []byte) iter.Seq2[kv.Entry, error] {
	s.times++
	return s.Reader.Scan(t, from, to)
}

// Who asks each second what is counted of all pages costs the job less than a hundredth of a core.
func TestManyRatesAreReadSeldom(t *testing.T) {
	for _, c := range []struct{ pages, want int }{{fewRates, 60}, {100_000, 20}} {
		synctest.Test(t, func(t *testing.T) {
			tables, err := mem.Open(Tables())
			if err != nil {
				t.Fatal(err)
			}
			defer tables.Close()
			if err := tables.Update(t.Context(), func(tx kv.Tx) error {
				for i := range c.pages {
					Rate{Visits: 2, Changes: 1, Seconds: 86400}.Put(tx, uint64(i+1))
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			var s Summary
			if err := tables.View(t.Context(), func(r kv.Reader) error {
				in := &scanned{Reader: r}
				for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(time.Second) {
					if all, err := s.All(in); err != nil || all.Pages != c.pages || all.Visits != 2*uint64(c.pages) || all.PerDay <= 0 {
						t.Fatalf("All = %+v, %v", all, err)
					}
				}
				if in.times != c.want {
					t.Errorf("of %d pages all rates are read %d times in a minute, want %d", c.pages, in.times, c.want)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

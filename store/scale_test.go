package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/testserver/env"
)

// TestScale measures a job of many URLs, added in the order that is worst for a queue:
// every URL is of another host than the one before. It adds them, visits a part of
// them, each visit with links to new pages of its own host, opens the job again,
// and says what each step cost. It is quick unless it is told the size:
//
//	GATECRAWL_URLS=10000000 GATECRAWL_HOSTS=1000000 go test ./store -run TestScale -v -timeout 2h
//
// With GATECRAWL_SCORES=random the URLs have scores of which no two are alike, so that
// hosts that follow each other are no neighbours in the table.
func TestScale(t *testing.T) {
	urls, hosts := env.Number(t, "GATECRAWL_URLS", 20_000), env.Number(t, "GATECRAWL_HOSTS", 2_000)
	visits := env.Number(t, "GATECRAWL_VISITS", urls/10)
	const links = 2 // new ones a visit
	dir := t.TempDir()
	o := store.DefaultOptions()
	o.Delay = 0
	s, err := store.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { s.Close() }()

	address := func(i int) weburl.URL {
		u, err := weburl.Parse(fmt.Sprintf("https://host%d.example/section/%d/page-%d.html", i%hosts, i/hosts%7, i))
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	score := func() float32 { return 0 }
	if os.Getenv("GATECRAWL_SCORES") == "random" {
		rng := rand.New(rand.NewPCG(3, 4))
		score = func() float32 { return priority.MaxSeed * rng.Float32() }
	}
	// A tenth at a time, so that it shows whether a larger job is slower.
	const parts = 10
	for part := range parts {
		m := measure()
		cs := make([]frontier.Candidate, 0, 100_000)
		for i := part * urls / parts; i < (part+1)*urls/parts; i++ {
			cs = append(cs, frontier.Candidate{URL: address(i), Signals: priority.Signals{Seed: score()}})
			if len(cs) < cap(cs) && i < (part+1)*urls/parts-1 {
				continue
			}
			if n, err := s.Add(t.Context(), cs); err != nil || n != len(cs) {
				t.Fatalf("Add of %d new URLs = %d, %v", len(cs), n, err)
			}
			cs = cs[:0]
		}
		m.end(t, fmt.Sprintf("add, part %d of %d", part+1, parts), urls/parts, disk(t, s))
	}

	const workers = 512
	var next []time.Duration
	for part := range 2 {
		var mu sync.Mutex
		var all sync.WaitGroup
		m := measure()
		for w := range workers {
			all.Go(func() { // ends with its share of the visits
				mine := make([]time.Duration, 0, visits/workers)
				for range visits / 2 / workers {
					start := time.Now()
					l, err := s.Lend(t.Context())
					mine = append(mine, time.Since(start))
					if err != nil {
						t.Errorf("Next: %v", err)
						return
					}
					v := &page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{
						URL: l.URL.String(), Status: 404, Verdict: page.VerdictFailed, Failure: "http 404", Reason: "http 404",
					}}
					for i := range links {
						u, err := l.URL.Parse(fmt.Sprintf("/found/%d/%d/%d", l.Token, part, i))
						if err != nil {
							t.Errorf("link: %v", err)
							return
						}
						v.Links = append(v.Links, frontier.Candidate{URL: u, From: l.URL.Key(), Anchor: "another page"})
					}
					if _, err := s.Settle(t.Context(), v); err != nil {
						t.Errorf("Settle %s: %v", l.URL, err)
						return
					}
				}
				mu.Lock()
				next = append(next, mine...)
				mu.Unlock()
				_ = w
			})
		}
		all.Wait()
		m.end(t, fmt.Sprintf("visit, part %d of 2, each with %d new links", part+1, links), visits/2, disk(t, s))
	}
	slices.Sort(next)
	if n := len(next); n > 0 {
		t.Logf("Next: median %v, 99%% within %v", next[n/2], next[n*99/100])
	}

	known := rand.New(rand.NewPCG(1, 2))
	cs := make([]frontier.Candidate, min(urls, 100_000))
	for i := range cs {
		cs[i] = frontier.Candidate{URL: address(known.IntN(urls))}
	}
	m := measure()
	if n, err := s.Add(t.Context(), cs); err != nil || n != 0 {
		t.Fatalf("Add of known URLs = %d, %v", n, err)
	}
	m.end(t, "add known ones again", len(cs), disk(t, s))

	start := time.Now()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("close: %v", time.Since(start))
	start, m = time.Now(), measure()
	if s, err = store.Open(dir, o); err != nil {
		t.Fatal(err)
	}
	t.Logf("open: %v, %v of CPU", time.Since(start), cputime.Used()-m.cpu)
	if _, err := s.Lend(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("open and first Next: %v; resident %d MB", time.Since(start), resident(t))
	want := int64(urls + links*(visits/2/workers*workers*2))
	if got := s.Totals().Seen; got != want {
		t.Errorf("Totals().Seen after a reopen = %d, want %d", got, want)
	}
}

func disk(t *testing.T, s *store.Store) int64 {
	t.Helper()
	st, err := s.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return st.DiskBytes
}

// resident returns the process's memory in megabytes, mapped files counted in; 0
// where the system does not tell.
func resident(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kb, _ := strconv.Atoi(strings.Fields(rest)[0])
			return kb / 1000
		}
	}
	return 0
}

// A stretch is a step being measured.
type stretch struct {
	start time.Time
	cpu   time.Duration
}

func measure() stretch { return stretch{time.Now(), cputime.Used()} }

func (m stretch) end(t *testing.T, what string, n int, disk int64) {
	t.Helper()
	took, cpu := time.Since(m.start), cputime.Used()-m.cpu
	t.Logf("%s: %.0f/s, %.1f us of CPU each; job folder %d MB; resident %d MB",
		what, float64(n)/took.Seconds(), float64(cpu.Microseconds())/float64(max(n, 1)), disk/1e6, resident(t))
}

package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/testserver/kill"
)

// claimingEnv names the folder in which a child of TestKillsWhileClaiming claims.
const claimingEnv = "STORE_TEST_CLAIMING"

func claimingOptions() Options {
	o := testOptions()
	o.PerHost, o.Dedup.Memory, o.QueueMemory = 16, 700, 64<<10 // some runs a round, and mergers
	return o
}

// TestKillsWhileClaiming kills a process with signal 9 while it claims as fast as
// it can. Each time the index is what the store says, whatever was acknowledged is
// there once, and of equal documents one is kept. STORE_KILL_ROUNDS sets the
// number of kills.
func TestKillsWhileClaiming(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(claimingEnv); dir != "" {
		s, err := Open(dir, claimingOptions())
		if err != nil {
			t.Fatal(err)
		}
		t.Fatal(claimForEver(s))
	}
	rounds := kill.Rounds(t, "STORE_KILL_ROUNDS", 4)
	seed := rand.Uint64()
	t.Logf("seed of the kills: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	settled := make(map[string]bool)
	for round := range rounds {
		kill.After(t, 100+rng.IntN(400), func(line string) {
			if strings.HasSuffix(line, "/") {
				settled[line] = true
			}
		}, claimingEnv+"="+dir)
		wantClaims(t, dir, round, settled)
		if round%2 == 0 {
			continue // what is owed then is owed through two kills
		}
		s, err := Open(dir, claimingOptions())
		if err != nil {
			t.Fatal(err)
		}
		wantCash(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d settled pages", rounds, len(settled))
}

// wantClaims looks at a job as it was left.
func wantClaims(t *testing.T, dir string, round int, settled map[string]bool) {
	t.Helper()
	o := claimingOptions()
	o.ReadOnly = true
	s, err := Open(dir, o)
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	defer s.Close()
	if _, err := s.Verify(t.Context(), func(b gatecrawl.Breach) error {
		return fmt.Errorf("%s: %s", b.Invariant, b.Detail)
	}); err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	pages := make(map[string]bool)
	kept := make(map[string]string) // by digest
	if err := s.Pages(t.Context(), 1, func(p page.Record) error {
		if pages[p.URL] {
			t.Errorf("round %d: %s has two records", round, p.URL)
		}
		pages[p.URL] = true
		if p.Verdict != page.VerdictNew {
			return nil
		}
		if other := kept[p.Digest]; other != "" {
			t.Errorf("round %d: %s and %s are one document, and both are kept", round, other, p.URL)
		}
		kept[p.Digest] = p.URL
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for u := range settled {
		if !pages[u] {
			t.Errorf("round %d: %s was settled, and is gone", round, u)
		}
	}
}

// claimForEver settles pages with many workers and prints each that is durable,
// until the store fails. A third of the documents came before under another URL.
func claimForEver(s *Store) error {
	ctx := context.Background()
	var out sync.Mutex
	for batch := s.Totals().Seen / 500; ; batch++ {
		var cs []frontier.Candidate
		for i := range int64(500) {
			n := batch*500 + i
			u, err := weburl.Parse(fmt.Sprintf("http://h%d.test/%d/", n%50, n))
			if err != nil {
				return err
			}
			cs = append(cs, frontier.Candidate{URL: u})
		}
		if _, err := s.Add(ctx, cs); err != nil {
			return err
		}
		var workers errgroup.Group
		for range 32 {
			workers.Go(func() error { // ends when the batch is settled, or with the store
				for {
					l, err := s.leaseURL(ctx)
					if errors.Is(err, frontier.ErrEmpty) {
						return nil
					}
					if err == nil {
						_, err = s.Settle(ctx, linking(claimed(l)))
					}
					if err != nil {
						return err
					}
					out.Lock()
					fmt.Println(l.URL)
					out.Unlock()
				}
			})
		}
		if err := workers.Wait(); err != nil {
			return err
		}
	}
}

// claimed is the visit of a page whose document its URL decides.
func claimed(l frontier.Lease) *page.Visit {
	parts := strings.Split(strings.Trim(l.URL.String(), "/"), "/")
	n, _ := strconv.Atoi(parts[len(parts)-1])
	if n%3 == 2 {
		n -= n % 300 / 2
	}
	r := rand.New(rand.NewPCG(uint64(n), 1))
	sig := dedup.Signature{SimHash: r.Uint64(), Layout: r.Uint64(), Tokens: 300}
	sig.Bytes, sig.Body = dedup.DigestOf(fmt.Appendf(nil, "bytes %d", n)), dedup.DigestOf(fmt.Appendf(nil, "body %d", n))
	sig.Sketch = [16]byte(dedup.DigestOf(fmt.Appendf(nil, "sketch %d", n)))
	return &page.Visit{
		Lease: l, Finished: time.Now(), Sign: &sig, Body: fmt.Appendf(nil, "bytes %d", n),
		Page: page.Record{URL: l.URL.String(), Status: 200, Digest: sig.Bytes.String(), SimHash: fmt.Sprintf("%016x", sig.SimHash)},
	}
}

// linking has a visit link to four URLs that its own decides.
func linking(v *page.Visit) *page.Visit {
	parts := strings.Split(strings.Trim(v.Page.URL, "/"), "/")
	n, _ := strconv.Atoi(parts[len(parts)-1])
	r := rand.New(rand.NewPCG(uint64(n), 2))
	for range 4 {
		u, err := weburl.Parse(fmt.Sprintf("http://h%d.test/%d/", r.IntN(50), n/500*500+r.IntN(1000)))
		if err == nil {
			v.Links = append(v.Links, frontier.Candidate{URL: u, From: v.Lease.URL.Key(), Signals: priority.Signals{Depth: 1}})
		}
	}
	return v
}

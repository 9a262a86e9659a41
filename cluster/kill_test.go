package cluster

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

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver/kill"
)

// crawlingEnv names the folder in which a child of TestKillsWhilePartitionsSettle works.
const crawlingEnv = "CLUSTER_TEST_CRAWLING"

func killOptions() Options {
	o := options(3)
	o.Store.Dedup.Memory, o.Store.QueueMemory = 700, 64<<10
	return o
}

// TestKillsWhilePartitionsSettle kills a process with signal 9 while many workers settle pages
// of three partitions. Each time whatever was acknowledged is there once, as what it was
// acknowledged, of equal documents one is kept when the messages on their way have come, and
// partitions and gate agree. CLUSTER_KILL_ROUNDS sets the number of kills.
func TestKillsWhilePartitionsSettle(t *testing.T) {
	if dir := os.Getenv(crawlingEnv); dir != "" {
		c, err := Open(dir, killOptions())
		if err != nil {
			t.Fatal(err)
		}
		t.Fatal(settleForEver(c))
	}
	rounds := kill.Rounds(t, "CLUSTER_KILL_ROUNDS", 4)
	seed := rand.Uint64()
	t.Logf("seed of the kills: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	settled := make(map[string]string) // URL to verdict
	for round := range rounds {
		kill.After(t, 50+rng.IntN(250), func(line string) {
			if url, verdict, ok := strings.Cut(line, " "); ok && strings.HasSuffix(verdict, ".") {
				settled[url] = strings.TrimSuffix(verdict, ".")
			}
		}, crawlingEnv+"="+dir)
		wantSettled(t, dir, round, settled)
	}
	t.Logf("%d kills, %d settled pages", rounds, len(settled))
}

// wantSettled looks at a job as it was left, when the messages on their way have come.
func wantSettled(t *testing.T, dir string, round int, settled map[string]string) {
	t.Helper()
	c, err := Open(dir, killOptions())
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	defer closeVerified(t, c)
	pages, kept := make(map[string]string), make(map[string]string)
	err = c.Pages(t.Context(), 1, func(p page.Record) error {
		if pages[p.URL] != "" {
			t.Errorf("round %d: %s has two records", round, p.URL)
		}
		pages[p.URL] = string(p.Verdict)
		if p.Verdict != page.VerdictNew {
			return nil
		}
		if other := kept[p.Digest]; other != "" {
			t.Errorf("round %d: %s and %s are one document, and both are kept", round, other, p.URL)
		}
		kept[p.Digest] = p.URL
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for u, verdict := range settled {
		if pages[u] != verdict {
			t.Errorf("round %d: %s was settled as %q, and is %q", round, u, verdict, pages[u])
		}
	}
}

// settleForEver settles pages with many workers and prints each that is durable, until the
// store fails. A third of the documents came before under another URL, and all link to others.
func settleForEver(c *Store) error {
	ctx := context.Background()
	var out sync.Mutex
	for batch := c.Totals().Seen / 500; ; batch++ {
		var cs []frontier.Candidate
		for i := range int64(500) {
			n := batch*500 + i
			u, err := weburl.Parse(fmt.Sprintf("http://h%d.example/%d/", n%50, n))
			if err != nil {
				return err
			}
			cs = append(cs, frontier.Candidate{URL: u})
		}
		if _, err := c.Add(ctx, cs); err != nil {
			return err
		}
		var workers errgroup.Group
		for range 32 {
			workers.Go(func() error { // ends when the batch is settled, or with the store
				for {
					l, err := c.Next(ctx)
					if errors.Is(err, frontier.ErrEmpty) {
						return nil
					}
					if err != nil {
						return err
					}
					if l.Task == frontier.Robots {
						_, err = c.Settle(ctx, &page.Visit{Lease: l, Robots: &robots.File{Origin: l.URL.Origin(), Status: 404, Fetched: time.Now()}})
						if err != nil {
							return err
						}
						continue
					}
					v, err := claimed(l)
					if err != nil {
						return err
					}
					rec, err := c.Settle(ctx, v)
					if err != nil {
						return err
					}
					out.Lock()
					fmt.Printf("%s %s.\n", l.URL, rec.Verdict)
					out.Unlock()
				}
			})
		}
		if err := workers.Wait(); err != nil {
			return err
		}
	}
}

// claimed is the visit of a page whose document and links its URL decides.
func claimed(l frontier.Lease) (*page.Visit, error) {
	n, err := strconv.Atoi(strings.Trim(l.URL.Path(), "/"))
	if err != nil {
		return nil, err
	}
	document := n
	if n%3 == 2 {
		document -= n % 300 / 2
	}
	r := rand.New(rand.NewPCG(uint64(document), 1))
	sig := dedup.Signature{SimHash: r.Uint64(), Layout: r.Uint64(), Tokens: 300}
	body := fmt.Appendf(nil, "bytes %d", document)
	sig.Bytes, sig.Body = dedup.DigestOf(body), dedup.DigestOf(fmt.Appendf(nil, "body %d", document))
	sig.Sketch = [16]byte(dedup.DigestOf(fmt.Appendf(nil, "sketch %d", document)))
	v := &page.Visit{
		Lease: l, Finished: time.Now(), Sign: &sig, Body: body,
		Page: page.Record{URL: l.URL.String(), Status: 200, Digest: sig.Bytes.String(), SimHash: fmt.Sprintf("%016x", sig.SimHash)},
	}
	r = rand.New(rand.NewPCG(uint64(n), 2))
	for range 4 {
		to := n/500*500 + r.IntN(1000)
		u, err := weburl.Parse(fmt.Sprintf("http://h%d.example/%d/", to%50, to))
		if err != nil {
			return nil, err
		}
		v.Links = append(v.Links, frontier.Candidate{URL: u, From: l.URL.Key(), Kind: frontier.PageLink})
	}
	return v, nil
}

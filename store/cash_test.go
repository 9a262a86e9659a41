package store

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
)

// wantCash adds up what the kept pages of a job have paid, and wants that each URL that waits
// has what those that link to it have paid, no more and no less, once the ledger is written to the
// records. It returns how many wait
// that were paid.
func wantCash(t *testing.T, s *Store) (paid int) {
	t.Helper()
	s.settleQueue()
	err := s.look(func(in snapshot) error {
		want := make(map[weburl.Key]float64)
		err := each(in, tableOutlinks, func(k, v []byte) error {
			out, err := page.UnpackOutlinks(v)
			if err != nil {
				return err
			}
			url, err := in.URLOf(seqOf(k))
			if err != nil {
				return err
			}
			u, err := weburl.Parse(url)
			if err != nil {
				return err
			}
			rec, _, err := in.URL(u.Key())
			if err != nil {
				return err
			}
			share := priority.Pay(rec.Signals.Cash, len(out)/16) * (1 + s.priority.Bonus(int(rec.Paid)))
			for ; len(out) > 0; out = out[16:] {
				want[weburl.Key(out)] += float64(share)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return kv.Each(in, queue.TableURLs, func(k, v []byte) error {
			rec, err := queue.Decode(v)
			if err != nil || rec.State != queue.Queued && rec.State != queue.Later {
				return err
			}
			w, got := want[weburl.Key(k)], float64(rec.Signals.Cash)
			if math.Abs(w-got) > 1e-4*(w+got) {
				t.Errorf("%s waits with cash %v; the pages that link to it have paid %v", rec.URL, got, w)
			}
			if got > 0 {
				paid++
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return paid
}

// Pages link at random, some are copies of others and so vote for them, some answer twice,
// and the job is opened again now and then with leases in hand.
func TestCashIsNeitherLostNorDoubled(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	o := testOptions()
	o.PerHost = 8
	open := func() *Store {
		s, err := Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	link := func() frontier.Candidate {
		u, err := weburl.Parse(fmt.Sprintf("http://h%d.test/%d", rng.IntN(20), rng.IntN(100)))
		if err != nil {
			t.Fatal(err)
		}
		return frontier.Candidate{URL: u, Signals: priority.Signals{Depth: uint16(1 + rng.IntN(3))}}
	}
	var first []frontier.Candidate
	for range 20 {
		first = append(first, link())
	}
	if _, err := s.Add(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	most := 0
	for range 300 {
		l, err := s.Lend(t.Context())
		if err != nil {
			break // nothing waits
		}
		switch rng.IntN(12) {
		case 0: // a crash takes it back
			if err := errors.Join(s.kv.Close(), s.closeFiles()); err != nil {
				t.Fatal(err)
			}
			s = open()
			if rng.IntN(2) == 0 {
				most = max(most, wantCash(t, s))
			}
			continue
		case 1:
			v := &page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{URL: l.URL.String(), Status: 503, Verdict: page.VerdictFailed, Reason: "http 503"}}
			if l.Attempt == 0 {
				v.Retry = time.Millisecond
			}
			if _, err := s.Settle(t.Context(), v); err != nil {
				t.Fatal(err)
			}
			continue
		}
		v := claimed(l)
		v.Links = nil
		for range rng.IntN(9) {
			c := link()
			c.From = l.URL.Key()
			if rng.IntN(6) == 0 {
				c.Refused = frontier.Refusal{Rule: "exclude", Detail: "by the test"}
			}
			v.Links = append(v.Links, c)
			if rng.IntN(4) == 0 {
				v.Links = append(v.Links, c) // a page may link twice
			}
		}
		if _, err := s.Settle(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	if most = max(most, wantCash(t, s)); most == 0 {
		t.Error("no URL that waits was paid")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCostOfCashAlone tells what cash adds to the CPU of settling a page, without what the page costs otherwise: jobs with
// it, with it for accounts alone, and without take turns, and settle the same pages with 60 links, a third of them a menu's. It runs where
// GATECRAWL_COST_OF_CASH is the number of rounds.
func TestCostOfCashAlone(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("GATECRAWL_COST_OF_CASH"))
	if err != nil {
		t.Skip("set GATECRAWL_COST_OF_CASH to the number of rounds: each takes some seconds of CPU")
	}
	const pages = 4000
	perPage := func(cash float32) float64 {
		return float64(settleWithCash(t, cash, pages).Nanoseconds()) / 1e6 / pages
	}
	// The second keeps accounts of cash, but orders by it as good as nothing: what it costs is the accounts, and the
	// rest that the order is another.
	kinds := []float32{priority.DefaultOptions().Cash, 1e-6, 0}
	var sum, squares [2]float64 // of the differences to the last
	var without float64
	for round := range rounds {
		var took [3]float64
		for i := range kinds {
			kind := (i + round) % len(kinds)
			took[kind] = perPage(kinds[kind])
		}
		t.Logf("%.4f ms a page with cash, %.4f with cash that orders nothing, %.4f without", took[0], took[1], took[2])
		without += took[2]
		for i := range sum {
			d := took[i] - took[2]
			sum[i], squares[i] = sum[i]+d, squares[i]+d*d
		}
	}
	n := float64(rounds)
	for i, name := range []string{"cash", "cash that orders nothing"} {
		mean := sum[i] / n
		t.Logf("%s costs %+.4f ms a page, 95%% within %.4f of it; settling without it takes %.4f", name, mean, 2*math.Sqrt(max(0, squares[i]/n-mean*mean)/max(n-1, 1)), without/n)
	}
}

// BenchmarkSettle60Links settles pages as TestCostOfCashAlone does. What it costs is best counted in instructions, which
// other processes do not change:
//
//	go test -c -o store.test ./store
//	GOMAXPROCS=1 valgrind --tool=cachegrind ./store.test -test.run xxx -test.bench 'Settle60Links/cash$' -test.benchtime 4000x
func BenchmarkSettle60Links(b *testing.B) {
	for _, c := range []struct {
		name string
		cash float32
	}{{"cash", priority.DefaultOptions().Cash}, {"ordersnothing", 1e-6}, {"none", 0}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportMetric(float64(settleWithCash(b, c.cash, b.N).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

// settleWithCash settles so many pages with 60 links each, a third of them a menu's, and returns the CPU that it took.
func settleWithCash(t testing.TB, cash float32, pages int) time.Duration {
	const urls, links, workers = 20_000, 60, 32
	o := DefaultOptions()
	o.Delay, o.PerHost, o.Priority.Cash = 0, workers, cash
	s, err := Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]weburl.URL, urls)
	for i := range all {
		if all[i], err = weburl.Parse(fmt.Sprintf("http://h%d.test/%d", i%20, i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Add(t.Context(), []frontier.Candidate{{URL: all[0]}}); err != nil {
		t.Fatal(err)
	}
	settle := func(n uint64) {
		l, err := s.Lend(t.Context())
		if err != nil {
			t.Error(err)
			return
		}
		v := claimed(l)
		rng := rand.New(rand.NewPCG(n, 15))
		v.Sign = &dedup.Signature{SimHash: rng.Uint64(), Layout: rng.Uint64(), Tokens: 300} // no copies in either
		v.Sign.Bytes, v.Sign.Body = dedup.DigestOf(fmt.Appendf(nil, "bytes %d", n)), dedup.DigestOf(fmt.Appendf(nil, "body %d", n))
		v.Sign.Sketch = [16]byte(dedup.DigestOf(fmt.Appendf(nil, "sketch %d", n)))
		v.Page.Digest, v.Page.SimHash = v.Sign.Bytes.String(), fmt.Sprintf("%016x", v.Sign.SimHash)
		v.Links = nil
		for i := range links {
			to := i
			if i >= links/3 {
				to = int(urls * math.Pow(rng.Float64(), 3)) // some are linked to far more often
			}
			v.Links = append(v.Links, frontier.Candidate{URL: all[to], From: l.URL.Key(), Signals: priority.Signals{Depth: l.Signals.Depth + 1}})
		}
		if _, err := s.Settle(t.Context(), v); err != nil {
			t.Error(err)
		}
	}
	settle(0)
	runtime.GC()
	before := cputime.Used()
	var next atomic.Uint64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for n := next.Add(1); n <= uint64(pages); n = next.Add(1) {
				settle(n)
			}
		})
	}
	wait.Wait()
	took := cputime.Used() - before
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return took
}

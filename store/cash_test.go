package store

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

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
	s.settleCash()
	err := s.look(func(in snapshot) error {
		want := make(map[weburl.Key]float64)
		err := each(in, tableOutlinks, func(k, out []byte) error {
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
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
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
		u, err := weburl.Parse(fmt.Sprintf("http://h%d.test/%d", dice.IntN(20), dice.IntN(100)))
		if err != nil {
			t.Fatal(err)
		}
		return frontier.Candidate{URL: u, Signals: priority.Signals{Depth: uint16(1 + dice.IntN(3))}}
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
		switch dice.IntN(12) {
		case 0: // a crash takes it back
			if err := errors.Join(s.kv.Close(), s.closeFiles()); err != nil {
				t.Fatal(err)
			}
			s = open()
			if dice.IntN(2) == 0 {
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
		for range dice.IntN(9) {
			c := link()
			c.From = l.URL.Key()
			if dice.IntN(6) == 0 {
				c.Refused = frontier.Refusal{Rule: "exclude", Detail: "by the test"}
			}
			v.Links = append(v.Links, c)
			if dice.IntN(4) == 0 {
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

package store

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/revisit"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// settled makes a job of documents, each kept, and returns it.
func settled(t *testing.T, dir string, n int) *Store {
	t.Helper()
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	var cs []frontier.Candidate
	for i := range n {
		u, err := weburl.Parse(fmt.Sprintf("http://h%d.test/", i))
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
		l, err := s.leaseURL(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sig := dedup.Signature{Bytes: dedup.DigestOf([]byte(l.URL.String()))}
		v := &page.Visit{
			Lease: l, Finished: time.Now(), Sign: &sig,
			Page: page.Record{URL: l.URL.String(), Status: 200, Digest: sig.Bytes.String(), Fetched: at},
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
			t.putPage(seq, &p, v)
			changes := []uint64{7, 2, 0}[seq%3]
			revisit.Rate{Visits: 7, Changes: changes, Seconds: 7 * 86400}.Put(t.tx, seq)
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
	if err := s.Stopped(string(gatecrawl.Done)); err != nil || s.Ended() != gatecrawl.Done {
		t.Fatalf("Stopped = %v; the run has ended as %q, want done", err, s.Ended())
	}
	var n gatecrawl.Requeued
	if err := s.startAgain(t.Context(), gatecrawl.Again{Before: time.Now(), Copies: 1}, &n); err != nil {
		t.Fatal(err)
	}
	if e := s.Ended(); e != "" {
		t.Errorf("a re-crawl has started, and the last run has ended as %q", e)
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

// TestWhyTellsTheScoreThatARecrawlGives compares next_score with the scores in the queue,
// and a page that three domains carry with one that is alone.
func TestWhyTellsTheScoreThatARecrawlGives(t *testing.T) {
	s := settled(t, t.TempDir(), 2)
	defer s.Close()
	yesterday := time.Now().Add(-24 * time.Hour)
	err := s.write(func(t *txn) error {
		for seq := uint64(1); seq <= 2; seq++ {
			p, v, err := t.page(seq)
			if err != nil {
				return err
			}
			p.Fetched = yesterday
			t.putPage(seq, &p, v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var alone gatecrawl.Why
	if alone, err = s.Why(t.Context(), "http://h0.test/"); err != nil {
		t.Fatal(err)
	}
	kept, err := s.Why(t.Context(), "http://h1.test/")
	if err != nil {
		t.Fatal(err)
	}
	copies := []frontier.Candidate{}
	for _, url := range []string{"http://x.example/", "http://y.example/", "http://z.example/"} {
		u, err := weburl.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		copies = append(copies, frontier.Candidate{URL: u})
	}
	if _, err := s.Add(t.Context(), copies); err != nil {
		t.Fatal(err)
	}
	for range copies {
		l, err := s.leaseURL(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sig := dedup.Signature{Bytes: dedup.DigestOf([]byte("http://h1.test/"))}
		v := &page.Visit{
			Lease: l, Finished: time.Now(), Sign: &sig,
			Page: page.Record{URL: l.URL.String(), Status: 200, Digest: sig.Bytes.String(), Fetched: time.Now()},
		}
		if _, err := s.Settle(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	before := kept.Next
	if kept, err = s.Why(t.Context(), "http://h1.test/"); err != nil {
		t.Fatal(err)
	}
	if kept.Degree != 3 || kept.Next < before+.9 { // 1.5 * log2(1+3)/3
		t.Errorf("with copies on %d domains the next score is %v, after %v without; want one more", kept.Degree, kept.Next, before)
	}
	if _, err := s.Requeue(t.Context(), gatecrawl.Again{Before: time.Now().Add(-time.Hour)}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []gatecrawl.Why{kept, alone} { // the better first
		l, err := s.leaseURL(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if l.URL.String() != want.URL || math.Abs(float64(l.Score-want.Next)) > .01 {
			t.Errorf("a re-crawl asks for %s with the score %v, want %s with %v", l.URL, l.Score, want.URL, want.Next)
		}
	}
}

// Redirects and links to nothing are most of what a re-crawl would ask for, and hardly
// ever change.
func TestRedirectsAndMissingPagesAreAskedForBySample(t *testing.T) {
	slow.Test(t, "crawls a site 35 times")
	const each, documents = 200, 20
	w := smallWeb{}
	for i := range each {
		w[fmt.Sprintf("http://a.test/old-%d", i)] = fmt.Sprintf("-> http://a.test/doc-%d", i%documents)
		w[fmt.Sprintf("http://a.test/doc-%d", i%documents)] = longText(i % documents)
	}
	for i := range each { // a page whose only link leads to nothing
		w[fmt.Sprintf("http://a.test/page-%d", i)] = longText(1000+i) + fmt.Sprintf(" => http://a.test/missing-%d", i)
	}
	s := openMirroring(t, t.TempDir())
	crawlSmall(t, s, w)
	again := func() (lasting, others int, asked map[string]int) {
		if _, err := s.Requeue(t.Context(), gatecrawl.Again{Before: time.Now(), Copies: .02}); err != nil {
			t.Fatal(err)
		}
		asked = crawlSmall(t, s, w)
		for u := range asked {
			if strings.Contains(u, "/old-") || strings.Contains(u, "/missing-") {
				lasting++
			} else {
				others++
			}
		}
		return lasting, others, asked
	}
	before, met, sum := 2*each, make(map[string]bool), 0
	for turn := range 34 {
		if turn == 2 { // some come to life, and some lead elsewhere
			w["http://a.test/missing-7"], w["http://a.test/old-9"] = longText(5007), "-> http://a.test/elsewhere"
			w["http://a.test/elsewhere"] = longText(5008)
			clear(met)
		}
		n, others, asked := again()
		if others < documents+each {
			t.Errorf("re-crawl %d: %d documents were asked for, want all %d", turn, others, documents+each)
		}
		if turn < 2 && n > before/5 {
			t.Errorf("re-crawl %d: %d of %d redirects and missing pages were asked for, want at most a fifth", turn, n, before)
		}
		sum += n
		for u := range asked {
			met[u] = true
		}
	}
	if sum > before*34/10 {
		t.Errorf("%d requests in 34 re-crawls for %d redirects and missing pages, want at most one in ten each time", sum, before)
	}
	for _, u := range []string{"missing-7", "old-9", "elsewhere"} {
		if !met["http://a.test/"+u] {
			t.Errorf("%s changed, and was not asked for in 32 re-crawls", u)
		}
	}
	if n := len(met); n < before+documents+each {
		t.Errorf("%d addresses were asked for in 32 re-crawls, want all %d", n, before+documents+each)
	}
}

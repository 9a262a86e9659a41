package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/testserver/kill"
)

// ratingEnv names the folder of the job whose pages a child of TestKillsWhileRatingAgain rates.
const ratingEnv = "STORE_TEST_RATING"

// languagesEnv names the folder of the job whose URLs a child of TestKillsWhileCountingLanguages visits.
const languagesEnv = "STORE_TEST_LANGUAGES"

func ratingOptions() Options {
	o := testOptions()
	o.Priority.Focused = true
	return o
}

// TestKillsWhileRatingAgain kills a process with signal 9 while it rates the pages of a job again, once as all that are kept and
// once as those on the topic alone. The job is sound each time, what a record says of its relevance fits its mark, and the next
// rating that comes to its end marks the kept pages off the topic, all of them and no others. STORE_KILL_ROUNDS sets the number of
// kills.
func TestKillsWhileRatingAgain(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(ratingEnv); dir != "" {
		t.Fatal(rateForEver(dir))
	}
	dir := t.TempDir()
	keepToRate(t, dir, 1600)
	seed := rand.Uint64()
	t.Logf("seed of the kills: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range kill.Rounds(t, "STORE_KILL_ROUNDS", 4) {
		kill.After(t, 5+rng.IntN(80), func(string) {}, ratingEnv+"="+dir)
		s, err := Open(dir, ratingOptions())
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if _, err := s.Verify(t.Context(), func(b gatecrawl.Breach) error {
			return fmt.Errorf("%s: %s", b.Invariant, b.Detail)
		}); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		wantMarks(t, s, round)
		by := uint64(1000 + round)
		for _, keep := range []bool{true, false, true} {
			if err := s.Rerate(t.Context(), by, keep, func(url string, _ *purify.DocView) float32 { return ratingBy(by, url) }); err != nil {
				t.Fatal(err)
			}
			on := int64(0)
			for _, p := range recordsOf(t, s) {
				want := p.Relevance
				if p.Verdict == page.VerdictNew {
					want = ratingBy(by, p.URL)
				}
				if off := keep && p.Verdict == page.VerdictNew && want < .5; p.Relevance != want || p.OffTopic != off {
					t.Fatalf("round %d: %s (%s) has %.2f, off the topic: %v, want %.2f and %v", round, p.URL, p.Verdict, p.Relevance, p.OffTopic, want, off)
				}
				if p.Verdict == page.VerdictNew && want >= .5 {
					on++
				}
			}
			if h := s.Totals().Harvest; h.OnTopic != on {
				t.Fatalf("round %d: the harvest has %d pages on the topic, the records %d", round, h.OnTopic, on)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKillsWhileCountingLanguages kills a process with signal 9 while it visits pages. The counts by language are those of the kept
// pages each time, copies left out, and still when all is counted again. STORE_KILL_ROUNDS sets the number of kills.
func TestKillsWhileCountingLanguages(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(languagesEnv); dir != "" {
		if err := settleAll(dir); err != nil {
			t.Fatal(err)
		}
		select {} // until it is killed
	}
	dir := t.TempDir()
	addURLs(t, dir, 1600)
	seed := rand.Uint64()
	t.Logf("seed of the kills: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for round := range kill.Rounds(t, "STORE_KILL_ROUNDS", 4) {
		kill.After(t, 1+rng.IntN(6), func(string) {}, languagesEnv+"="+dir)
		s, err := Open(dir, ratingOptions())
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for _, when := range []string{"after the kill", "counted again"} {
			want := make(map[string]int64)
			for _, p := range recordsOf(t, s) {
				if p.Verdict == page.VerdictNew {
					lang, _, _ := strings.Cut(p.Lang, "-")
					want[lang]++
				}
			}
			if h := s.Totals().Harvest; want["fr"] == 0 || h == nil || !maps.Equal(h.Languages, want) {
				t.Fatalf("round %d, %s: the harvest is %+v, and kept are %v", round, when, h, want)
			}
			if err := s.Rerate(t.Context(), uint64(1000+round), false, func(url string, _ *purify.DocView) float32 { return ratingBy(1, url) }); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// settleAll visits the URLs of a job, and prints a line for each 50.
func settleAll(dir string) error {
	s, err := Open(dir, ratingOptions())
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		l, err := s.leaseURL(context.Background())
		if errors.Is(err, frontier.ErrEmpty) {
			return s.Close()
		}
		if err != nil {
			return err
		}
		if _, err := s.Settle(context.Background(), ofWords(l)); err != nil {
			return err
		}
		if n%50 == 0 {
			fmt.Println(n)
		}
	}
}

// wantMarks checks that marked pages are kept ones below the threshold.
func wantMarks(t *testing.T, s *Store, round int) {
	t.Helper()
	for _, p := range recordsOf(t, s) {
		if p.OffTopic && (p.Verdict != page.VerdictNew || p.Relevance >= .5) {
			t.Errorf("round %d: %s (%s, relevance %.2f) is marked as off the topic", round, p.URL, p.Verdict, p.Relevance)
		}
	}
}

func recordsOf(t *testing.T, s *Store) (ps []page.Record) {
	t.Helper()
	if err := s.Pages(t.Context(), 1, func(p page.Record) error {
		ps = append(ps, p)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return ps
}

// ratingBy is the relevance of a page by one of many models.
func ratingBy(model uint64, url string) float32 {
	parts := strings.Split(strings.Trim(url, "/"), "/")
	n, _ := strconv.Atoi(parts[len(parts)-1])
	return []float32{.25, .75, 0, 1}[(uint64(n)+model)%4]
}

// keepToRate makes a job of so many URLs, of whose documents a sixth are copies of others.
func keepToRate(t *testing.T, dir string, urls int) {
	t.Helper()
	addURLs(t, dir, urls)
	if err := settleAll(dir); err != nil {
		t.Fatal(err)
	}
}

// addURLs makes a job of so many URLs.
func addURLs(t *testing.T, dir string, urls int) {
	t.Helper()
	s, err := Open(dir, ratingOptions())
	if err != nil {
		t.Fatal(err)
	}
	var cs []frontier.Candidate
	for n := range urls {
		u, err := weburl.Parse(fmt.Sprintf("http://h%d.test/%d/", n%50, n))
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, frontier.Candidate{URL: u})
	}
	if _, err := s.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// ofWords is the visit of a page whose text its URL decides. One in six has the text of another.
func ofWords(l frontier.Lease) *page.Visit {
	parts := strings.Split(strings.Trim(l.URL.String(), "/"), "/")
	n, _ := strconv.Atoi(parts[len(parts)-1])
	if n%6 == 5 {
		n -= 3
	}
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "page%dword%d ", n, i)
	}
	body := strings.TrimSpace(text.String())
	sig := dedup.SignText(body)
	sig.Bytes = dedup.DigestOf([]byte(body))
	return &page.Visit{
		Lease: l, Finished: time.Now(), Sign: &sig, Body: []byte(body), View: page.PackView(&purify.DocView{Body: body}),
		Page: page.Record{URL: l.URL.String(), Status: 200, Digest: sig.Bytes.String(), Lang: []string{"en", "en", "fr-CA", "zh", ""}[n%5]},
	}
}

// rateForEver rates all pages by one model after the other, and prints a line for each 50 pages.
func rateForEver(dir string) error {
	s, err := Open(dir, ratingOptions())
	if err != nil {
		return err
	}
	for model := uint64(1); ; model++ {
		n := 0
		err := s.Rerate(context.Background(), model, model%2 == 0, func(url string, _ *purify.DocView) float32 {
			if n++; n%50 == 0 {
				fmt.Println(n)
			}
			return ratingBy(model, url)
		})
		if err != nil {
			return err
		}
	}
}

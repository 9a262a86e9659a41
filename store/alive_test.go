package store

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/frontier"
)

// A lost page is looked for among the pages of its domain, however many there are
// of others. STORE_ALIVE_PAGES sets the size of the job, a thousand pages a host, or as
// many as stand behind a comma.
func TestALostPageIsLookedForInItsDomain(t *testing.T) {
	pages, perHost := 2_000, 200
	if v := os.Getenv("STORE_ALIVE_PAGES"); v != "" {
		all, each, has := strings.Cut(v, ",")
		if !has {
			each = "1000"
		}
		var err, fault error
		pages, err = strconv.Atoi(all)
		if perHost, fault = strconv.Atoi(each); err != nil || fault != nil {
			t.Fatalf("STORE_ALIVE_PAGES is %q: want a number of pages, perhaps with ,500 behind it for those of a host", v)
		}
	}
	o := testOptions()
	o.PerHost, o.Delay, o.PerIP = 64, 0, 0
	o.Rules.Learn, o.Mirrors, o.Templates = "off", 0, false
	dir := t.TempDir()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	settleMany(t, s, pages, perHost)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	o.ReadOnly = true
	began := time.Now()
	if s, err = Open(dir, o); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	opened := time.Since(began)
	began = time.Now()
	// Page 7 is gone, as are 3 to 6: those moved from /old/ to /new/.
	lost, err := s.Alive(t.Context(), "http://www.h0.example/old/page-number-7.html")
	if err != nil {
		t.Fatal(err)
	}
	first := time.Since(began)
	began = time.Now()
	if _, err := s.Alive(t.Context(), "http://www.h0.example/old/page-number-8.html"); err != nil {
		t.Fatal(err)
	}
	next := time.Since(began)
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	began = time.Now()
	if _, err := s.Alive(t.Context(), "http://alone.example/"); err != nil { // mirrors of its site are looked for
		t.Fatal(err)
	}
	t.Logf("%d pages, %d a host: opened in %v, first answer in %v, next of the domain in %v, heap %d MB; of one of which nothing else is known in %v",
		pages, perHost, opened, first, next, mem.HeapAlloc>>20, time.Since(began))
	want := []string{gatecrawl.HowMove, gatecrawl.HowNear}
	for _, how := range want {
		found := false
		for _, c := range lost.Candidates {
			found = found || c.How == how && strings.Contains(c.URL, "h0.example/new/page-number-7.html")
			found = found || c.How == how && c.URL == "http://docs.h0.example/as-it-was.html"
		}
		if !found {
			t.Errorf("no candidate by %s: %+v", how, lost.Candidates)
		}
	}
}

// settleMany fills a job with hosts of so many pages each.
func settleMany(t *testing.T, s *Store, pages, perHost int) {
	t.Helper()
	start, err := frontier.Parse("http://start.example/")
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < pages; from += 50_000 {
		var cs []frontier.Candidate
		for i := from; i < min(pages, from+50_000); i++ {
			u, err := frontier.Parse(fmt.Sprintf("http://www.h%d.example/old/page-number-%d.html", i/perHost, i%perHost))
			if err != nil {
				t.Fatal(err)
			}
			cs = append(cs, frontier.Candidate{URL: u, From: start.Key()})
		}
		if from == 0 {
			for _, one := range []string{"http://docs.h0.example/as-it-was.html", "http://alone.example/"} {
				u, err := frontier.Parse(one)
				if err != nil {
					t.Fatal(err)
				}
				cs = append(cs, frontier.Candidate{URL: u, From: start.Key()})
			}
		}
		if _, err := s.Add(t.Context(), cs); err != nil {
			t.Fatal(err)
		}
		var workers sync.WaitGroup
		for range 64 {
			workers.Go(func() { // ends when all is settled
				for {
					l, err := s.Next(t.Context())
					if errors.Is(err, frontier.ErrEmpty) {
						return
					}
					if err == nil {
						_, err = s.Settle(t.Context(), agedVisit(l))
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		workers.Wait()
	}
}

// agedVisit makes the visit of a page whose address decides its text. Pages 3 to 6
// of a folder redirect, and one page says nearly what page 7 of the first host says.
func agedVisit(l frontier.Lease) *gatecrawl.Visit {
	v := &gatecrawl.Visit{Lease: l, Finished: time.Now(), Page: gatecrawl.Page{URL: l.URL.String(), Status: 200, Fetched: time.Now()}}
	name := l.URL.String()
	number, _ := strconv.Atoi(strings.TrimSuffix(name[strings.LastIndexByte(name, '-')+1:], ".html"))
	if strings.Contains(name, "/old/") && number >= 3 && number <= 6 {
		v.Page.Status, v.Page.Verdict, v.Page.Rule = 301, gatecrawl.VerdictRefused, "redirect"
		v.Page.Location = strings.Replace(name, "/old/", "/new/", 1)
		return v
	}
	digest, flip := dedup.DigestOf([]byte(name)), uint64(0)
	if strings.HasPrefix(name, "http://docs.") {
		digest, flip = dedup.DigestOf([]byte("http://www.h0.example/old/page-number-7.html")), 1
	}
	sig := dedup.Signature{Bytes: dedup.DigestOf([]byte("bytes " + name)), Body: dedup.DigestOf([]byte("body " + name)), Tokens: 300}
	sig.Sketch = [16]byte(dedup.DigestOf([]byte("sketch " + name)))
	for _, b := range digest[:8] {
		sig.SimHash = sig.SimHash<<8 | uint64(b)
	}
	sig.SimHash ^= flip
	v.Sign = &sig
	v.Page.Digest, v.Page.BodyTokens, v.Page.SimHash = sig.Bytes.String(), 300, fmt.Sprintf("%016x", sig.SimHash)
	return v
}

package store

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/linkrot"
	"gatecrawl.example/gatecrawl/page"
)

// A lost page is looked for among the pages of its domain, however many there are
// of others. GATECRAWL_ALIVE_PAGES sets the size of the job, a thousand pages a host, or as
// many as stand behind a comma.
func TestALostPageIsLookedForInItsDomain(t *testing.T) {
	pages, perHost := 2_000, 200
	if v := os.Getenv("GATECRAWL_ALIVE_PAGES"); v != "" {
		all, each, has := strings.Cut(v, ",")
		if !has {
			each = "1000"
		}
		var err, fault error
		pages, err = strconv.Atoi(all)
		if perHost, fault = strconv.Atoi(each); err != nil || fault != nil {
			t.Fatalf("GATECRAWL_ALIVE_PAGES is %q: want a number of pages, perhaps with ,500 behind it for those of a host", v)
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
	start := time.Now()
	if s, err = Open(dir, o); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	opened := time.Since(start)
	start = time.Now()
	// Page 7 is gone, as are 3 to 6: those moved from /old/ to /new/.
	lost, err := s.Alive(t.Context(), "http://www.h0.example/old/page-number-7.html")
	if err != nil {
		t.Fatal(err)
	}
	first := time.Since(start)
	start = time.Now()
	if _, err := s.Alive(t.Context(), "http://www.h0.example/old/page-number-8.html"); err != nil {
		t.Fatal(err)
	}
	next := time.Since(start)
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	start = time.Now()
	if _, err := s.Alive(t.Context(), "http://alone.example/"); err != nil { // mirrors of its site are looked for
		t.Fatal(err)
	}
	t.Logf("%d pages, %d a host: opened in %v, first answer in %v, next of the domain in %v, heap %d MB; of one of which nothing else is known in %v",
		pages, perHost, opened, first, next, mem.HeapAlloc>>20, time.Since(start))
	want := []string{linkrot.HowMove, linkrot.HowNear}
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
	start, err := weburl.Parse("http://start.example/")
	if err != nil {
		t.Fatal(err)
	}
	for from := 0; from < pages; from += 50_000 {
		var cs []frontier.Candidate
		for i := from; i < min(pages, from+50_000); i++ {
			u, err := weburl.Parse(fmt.Sprintf("http://www.h%d.example/old/page-number-%d.html", i/perHost, i%perHost))
			if err != nil {
				t.Fatal(err)
			}
			cs = append(cs, frontier.Candidate{URL: u, From: start.Key()})
		}
		if from == 0 {
			for _, one := range []string{"http://docs.h0.example/as-it-was.html", "http://alone.example/"} {
				u, err := weburl.Parse(one)
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
					l, err := s.leaseURL(t.Context())
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

// agedVisit makes the visit of a page whose URL decides its text. Pages 3 to 6
// of a folder redirect, and one page says nearly what page 7 of the first host says.
func agedVisit(l frontier.Lease) *page.Visit {
	v := &page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{URL: l.URL.String(), Status: 200, Fetched: time.Now()}}
	name := l.URL.String()
	number, _ := strconv.Atoi(strings.TrimSuffix(name[strings.LastIndexByte(name, '-')+1:], ".html"))
	if strings.Contains(name, "/old/") && number >= 3 && number <= 6 {
		v.Page.Status, v.Page.Verdict, v.Page.Rule = 301, page.VerdictRefused, "redirect"
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

// candidatesFor crawls a web and returns where a page of it may live.
func candidatesFor(t *testing.T, w smallWeb, url string) []linkrot.Candidate {
	t.Helper()
	s := openMirrored(t, t.TempDir(), mirror.ModeWatch)
	crawlSmall(t, s, w)
	lost, err := s.Alive(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return lost.Candidates
}

func TestTheBytesOfALostPageAreAskedForFirstAndEachHostOnce(t *testing.T) {
	text := longText(1)
	w := smallWeb{"http://lost.test/p-0.html": text, "http://same.test/p-9.html": text}
	for i := range 12 {
		for k := range 3 {
			w[fmt.Sprintf("http://m%d.test/copy%d-1.html", i, k)] = fmt.Sprintf("%s extra%dword%d", text, i, k)
		}
	}
	cs := candidatesFor(t, w, "http://lost.test/p-0.html")
	if len(cs) < 13 || cs[0].URL != "http://same.test/p-9.html" {
		t.Fatalf("candidates are %+v, want http://same.test/p-9.html first, which has the bytes", cs)
	}
	hosts := make(map[string]bool)
	for _, c := range cs[:13] {
		hosts[weburl.HostOf(c.URL)] = true
	}
	if len(hosts) != 13 {
		t.Errorf("the first 13 candidates are on %d hosts, want each on one of its own", len(hosts))
	}
}

func TestALostPageIsAskedForAtItsPathInAnotherVersion(t *testing.T) {
	w := smallWeb{}
	w.site("http://one.test", 60, longText)
	w.site("http://two.test", 60, func(i int) string {
		if i%5 == 0 {
			return longText(3000 + i)
		}
		return longText(i)
	})
	const lost = "http://one.test/d2/page-20.html"
	cs := candidatesFor(t, w, lost)
	if !slices.ContainsFunc(cs, func(c linkrot.Candidate) bool {
		return c.URL == "http://two.test/d2/page-20.html" && c.How == linkrot.HowMirror
	}) {
		t.Errorf("candidates for %s are %+v, want its path on http://two.test", lost, cs)
	}
}

// The sites that have a lost page's bytes may be gone with it. A whole mirror is asked too, though the page was not fetched there.
func TestAMirrorIsAskedThoughACopyOfALostPageIsKnown(t *testing.T) {
	t.Parallel()
	origins := []string{"http://one.test", "http://two.example", "http://three.invalid"}
	w := smallWeb{}
	for _, o := range origins {
		w.site(o, 120, longText)
	}
	s := openMirroring(t, t.TempDir())
	asked := crawlSmall(t, s, w)
	copies := 0
	for n := range 120 {
		at := func(i int) string { return fmt.Sprintf("%s/d%d/page-%d.html", origins[i], n%3, n) }
		if asked[at(0)] == 0 || asked[at(1)] == 0 || asked[at(2)] != 0 {
			continue
		}
		copies++
		lost, err := s.Alive(t.Context(), at(0))
		if err != nil {
			t.Fatal(err)
		}
		var hows []string
		for i := range lost.Candidates {
			for _, url := range []string{at(1), at(2)} {
				if lost.Candidates[i].URL == url {
					hows = append(hows, lost.Candidates[i].How)
				}
			}
		}
		if !slices.Equal(hows, []string{linkrot.HowGroup, linkrot.HowMirror}) {
			t.Fatalf("%s: candidates %+v, want its copy and then its place on the third site", at(0), lost.Candidates)
		}
	}
	if copies == 0 {
		t.Error("no page was fetched from two of three mirrors: the test says nothing")
	}
}

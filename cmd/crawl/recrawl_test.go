package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver/farm"
	"gatecrawl.example/gatecrawl/testserver/moves"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// TestKilledRecrawlsLoseNothing kills a re-crawl of a site that moved at random
// moments, goes on each time, and compares what is there at the end with a
// re-crawl that nobody killed.
func TestKilledRecrawlsLoseNothing(t *testing.T) {
	t.Parallel()
	kills := 8
	if !slow.Wanted() {
		kills = 1
	}
	seed := rand.Uint64()
	t.Logf("seed of the kills: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	m, err := moves.New(moves.Options{Seed: 2001, Pages: 8})
	if err != nil {
		t.Fatal(err)
	}
	var asked requestCount
	mirror := httptest.NewServer(asked.of(m.Mirror()))
	defer mirror.Close()
	site := httptest.NewServer(asked.of(m.Site()))
	defer site.Close()
	job, whole := filepath.Join(t.TempDir(), "killed"), filepath.Join(t.TempDir(), "whole")
	command(t, "run", "--job", job, "--delay", "3ms", "-u", site.URL+"/", "-u", mirror.URL+"/")
	if err := os.CopyFS(whole, os.DirFS(job)); err != nil {
		t.Fatal(err)
	}
	m.Move()
	bin := buildCrawl(t)
	before := asked.get()
	if out, err := exec.Command(bin, "run", "--job", whole, "--recrawl-copies", "0").CombinedOutput(); err != nil {
		t.Fatalf("crawl run: %v\n%s", err, out)
	}
	requests := asked.get() - before

	args := []string{"run", "--job", job, "--recrawl-copies", "0"}
	ended := false // after which one more run would be one more re-crawl
	for i := 0; i < kills && !ended; i++ {
		was, err := killed(t, exec.Command(bin, args...), asked.get, rng.IntN(requests/kills*4/3+1))
		if !was && err != nil {
			t.Fatalf("the re-crawl ended before kill %d: %v", i+1, err)
		}
		ended = !was
		command(t, "check", "--job", job)
	}
	if !ended {
		command(t, "run", "--job", job)
		command(t, "check", "--job", job)
	}
	got, want := settledOf(t, bin, job), settledOf(t, bin, whole)
	for url := range want {
		if _, ok := got[url]; !ok {
			t.Errorf("%s has no record", url)
		}
	}
	all := len(want)
	dropGone(got, want)
	t.Logf("%d of %d records are compared; ended before the last kill: %v", len(want), all, ended)
	samePages(t, got, want, nearCopies(got, want))
}

// dropGone drops from both jobs the URLs that one of them found gone, by a redirect too.
// Whether the page that moved is of the old URL's group depends on which of the two was
// asked first.
func dropGone(a, b map[string]page.Record) {
	gone := make(map[string]bool)
	for _, pages := range []map[string]page.Record{a, b} {
		for url, p := range pages {
			gone[url] = gone[url] || p.RevisitStatus >= 300 && p.RevisitStatus != http.StatusNotModified
		}
	}
	isGone := func(url string, _ page.Record) bool { return gone[url] }
	maps.DeleteFunc(a, isGone)
	maps.DeleteFunc(b, isGone)
}

// nearCopies numbers by their bytes the pages of groups that have near copies: which
// of these are of one group depends on who came first.
func nearCopies(jobs ...map[string]page.Record) map[string]int {
	numbers, doubt := make(map[string]int), make(map[string]int)
	for _, pages := range jobs {
		near := make(map[string]bool) // by kept page
		for _, p := range pages {
			near[p.Of] = near[p.Of] || p.Level == int(dedup.LevelNear)
		}
		for url, p := range pages {
			if _, ok := numbers[p.Digest]; !ok {
				numbers[p.Digest] = len(numbers) + 1
			}
			if p.Of == "" && near[url] || p.Of != "" && near[p.Of] {
				doubt[url] = numbers[p.Digest]
			}
		}
	}
	return doubt
}

// settledOf returns the records that count, by URL.
func settledOf(t *testing.T, bin, job string) map[string]page.Record {
	t.Helper()
	pages := make(map[string]page.Record)
	lines, err := exec.Command(bin, "pages", "--json", "--job", job).Output()
	if err != nil {
		t.Fatalf("crawl pages: %v", err)
	}
	dec := json.NewDecoder(bytes.NewReader(lines))
	for dec.More() {
		var p page.Record
		if err := dec.Decode(&p); err != nil {
			t.Fatalf("crawl pages: %v", err)
		}
		if p.ReplacedBy == 0 {
			pages[p.URL] = p
		}
	}
	return pages
}

// TestARecrawlOfMirrorsAsksTheOriginal crawls a site, then two copies of it, and crawls
// all of them again. One after the other, so that it does not matter which is faster.
func TestARecrawlOfMirrorsAsksTheOriginal(t *testing.T) {
	slow.Test(t, "crawls a farm four times")
	f, err := farm.New(farm.Options{Seed: 401, Families: 1, Pages: 400})
	if err != nil {
		t.Fatal(err)
	}
	origin := make(map[string]string)
	job := filepath.Join(t.TempDir(), "job")
	var origins []string
	asked := make([]atomic.Int64, 3)
	for i, s := range f.Sites[:3] { // the original and two whole copies
		h := s.Handler(func(name string) string { return origin[name] })
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked[i].Add(1)
			h.ServeHTTP(w, r)
		}))
		defer srv.Close()
		origin[s.Name] = srv.URL
		origins = append(origins, srv.URL+"/")
	}
	read := func() (s gatecrawl.Status) {
		t.Helper()
		if err := json.Unmarshal([]byte(command(t, "status", "--json", "--job", job)), &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	command(t, "run", "--job", job, "--delay", "0", "--workers", "1", "--mirrors", "on", "-u", origins[0])
	for _, o := range origins[1:] {
		command(t, "seeds", "add", "--job", job, o)
		command(t, "run", "--job", job)
	}
	first := read()
	var before [3]int64
	for i := range asked {
		before[i] = asked[i].Swap(0)
	}
	command(t, "run", "--job", job)
	command(t, "check", "--job", job)
	again := read()
	requests, documents := int64(0), 2*first.New
	for i := range asked {
		requests += asked[i].Load()
	}
	copies := requests - first.New // each kept page is asked for once
	t.Logf("first crawl: %v requests, %d put off; then %d, %d and %d: %d for what is no kept page, of %d documents of the copies",
		before, first.Mirrors["deferred"], asked[0].Load(), asked[1].Load(), asked[2].Load(), copies, documents)
	if first.Mirrors["deferred"] == 0 || again.Mirrors["found"] != first.Mirrors["found"] || again.Rules["mirror"] == 0 {
		t.Errorf("mirrors are %v, then %v, %d URLs are put off: want those found that were, and some put off", first.Mirrors, again.Mirrors, again.Rules["mirror"])
	}
	if copies > documents/10 {
		t.Errorf("%d requests besides those for kept pages, want at most a tenth of the %d documents of the copies", copies, documents)
	}
}

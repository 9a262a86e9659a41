package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/env"
	"gatecrawl.example/gatecrawl/testserver/score"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// TestKilledCrawlsLoseNothing kills a crawl at random moments, goes on each
// time, and compares what is there at the end with an uninterrupted crawl. It
// kills 20 times, or as often as GATECRAWL_KILLS says; without GATECRAWL_SLOW twice,
// in a fifth of the pages.
func TestKilledCrawlsLoseNothing(t *testing.T) {
	t.Parallel()
	const workers = 8
	kills := 20
	o := testserver.Demo()
	if !slow.Wanted() {
		kills, o.Pages = 2, o.Pages/5
	}
	kills = env.Number(t, "GATECRAWL_KILLS", kills)
	seed := rand.Uint64()
	t.Logf("seed of the kills: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))

	o.SlowDelay, o.CrawlDelay = 50*time.Millisecond, 20*time.Millisecond
	web, err := testserver.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := web.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	bin := buildCrawl(t)
	run := func(job string) *exec.Cmd {
		args := []string{"run", "--job", job, "--scope", "any", "--contact", "test@example.org", "--mirrors", "watch", "--url-rules-learn", "defer",
			"--delay", "15ms", "--workers", fmt.Sprint(workers)}
		for _, u := range web.Seeds() {
			args = append(args, "-u", u)
		}
		return exec.Command(bin, args...)
	}

	whole := filepath.Join(t.TempDir(), "whole")
	if out, err := run(whole).CombinedOutput(); err != nil {
		t.Fatalf("uninterrupted crawl: %v\n%s", err, out)
	}
	want := pagesOf(t, bin, whole)
	asked := pageRequests(web)
	web.Reset()

	job := filepath.Join(t.TempDir(), "killed")
	done, finished := 0, false
	for i := 0; i < kills && !finished; i++ { // a finished crawl would be crawled again
		cmd := run(job)
		var out bytes.Buffer
		cmd.Stderr = &out
		// On average two thirds of the crawl's share, so that the last kill hits it too.
		moment := rng.IntN(asked / kills * 4 / 3)
		if was, err := killed(t, cmd, func() int { return pageRequests(web) }, moment); was {
			done++
		} else {
			finished = true
			t.Logf("the crawl ended before kill %d: %v", i+1, err)
			if err != nil {
				t.Fatalf("crawl: %v\n%s", err, out.String())
			}
		}
		checkKilled(t, bin, job)
	}
	if done < kills/2 {
		t.Errorf("only %d of %d kills hit a running crawl", done, kills)
	}
	if !finished {
		if out, err := run(job).CombinedOutput(); err != nil {
			t.Fatalf("last run: %v\n%s", err, out)
		}
	}
	if out, err := exec.Command(bin, "check", "--job", job).CombinedOutput(); err != nil {
		t.Errorf("check: %v\n%s", err, out)
	}
	doubt := inDoubt(web.Truth())
	samePages(t, pagesOf(t, bin, job), want, doubt)
	if len(doubt) > len(want)/2 {
		t.Errorf("%d of %d pages are in doubt: the groups are hardly compared", len(doubt), len(want))
	}
	again := pageRequests(web) - asked
	if limit := workers * done; again > limit {
		t.Errorf("%d pages were fetched again after %d kills, want at most %d (workers x kills)", again, done, limit)
	}
	t.Logf("%d records, %d in doubt; %d kills; %d pages fetched again", len(want), len(doubt), done, again)
}

// buildCrawl returns the command as a program: the one that the scripts run, which is this
// test's own file under another name.
func buildCrawl(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: it builds the program and runs that, where the race detector sees nothing")
	}
	bin, err := exec.LookPath("crawl")
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// pageRequests counts what the web was asked for, robots.txt aside: it is no
// page, and its cache may be lost.
func pageRequests(web *testserver.Web) int {
	n := 0
	for _, s := range web.Traffic() {
		n += s.Requests - s.Paths["/robots.txt"]
	}
	return n
}

// pagesOf reads the records of a job as its users do.
func pagesOf(t *testing.T, bin, job string) map[string]page.Record {
	t.Helper()
	cmd := exec.Command(bin, "pages", "--json", "--job", job)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("crawl pages: %v", err)
	}
	pages := make(map[string]page.Record)
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var p page.Record
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatalf("crawl pages: %v in %s", err, lines.Text())
		}
		if _, twice := pages[p.URL]; twice {
			t.Errorf("%s has two records", p.URL)
		}
		pages[p.URL] = p
	}
	return pages
}

// killed runs a command and kills it once its sites have had so many more requests.
// It is false where the command ended before, with its error.
func killed(t *testing.T, cmd *exec.Cmd, requests func() int, after int) (bool, error) {
	t.Helper()
	before := requests()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // ends with the process
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return false, err
		case <-tick.C:
			if requests()-before >= after {
				cmd.Process.Kill()
				return true, <-ended
			}
		}
	}
}

// A requestCount counts what sites are asked for.
type requestCount struct{ n atomic.Int64 }

func (c *requestCount) of(site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.n.Add(1)
		site.ServeHTTP(w, r)
	})
}

func (c *requestCount) get() int { return int(c.n.Load()) }

// checkKilled checks a job, if it was there already when its crawl was killed.
func checkKilled(t *testing.T, bin, job string) {
	t.Helper()
	if out, err := exec.Command(bin, "check", "--job", job).CombinedOutput(); err != nil && !strings.Contains(string(out), "no job") {
		t.Fatalf("check after a kill: %v\n%s", err, out)
	}
}

// samePages compares two crawls of one web. Which member of a group is kept
// depends on the order of arrival; the groups, and all else, do not. Only where
// one page is near two others that are not near each other does it depend on
// who came first whether the three are one group or two: of a page in doubt,
// what is compared of its group are the pages with its very text.
func samePages(t *testing.T, got, want map[string]page.Record, doubt map[string]int) {
	t.Helper()
	groups, wantGroups := groupsOf(got, doubt), groupsOf(want, doubt)
	faults := 0
	fault := func(format string, args ...any) {
		if faults++; faults <= 10 {
			t.Errorf(format, args...)
		}
	}
	for url, w := range want {
		g, ok := got[url]
		switch {
		case !ok:
			fault("%s has no record", url)
		case g.Status != w.Status || g.Rule != w.Rule || g.Digest != w.Digest || g.Location != w.Location:
			fault("%s is\n%+v\nwant\n%+v", url, g, w)
		case documentOf(g) != documentOf(w):
			fault("%s is %s, want %s", url, g.Verdict, w.Verdict)
		case !slices.Equal(groups[url], wantGroups[url]):
			fault("group of %s is\n%v\nwant\n%v\nrecords are\n%+v\nand\n%+v", url, groups[url], wantGroups[url], g, w)
		}
	}
	for url := range got {
		if _, ok := want[url]; !ok {
			fault("%s has a record, and had none", url)
		}
	}
	if faults > 10 {
		t.Errorf("and %d more", faults-10)
	}
}

func documentOf(p page.Record) bool {
	return p.Verdict == page.VerdictNew || p.Verdict == page.VerdictCopy
}

// inDoubt returns the URLs of the pages of whose group some two texts resemble
// each other so little that a sketch may call them near or not, and the number
// of each page's text.
func inDoubt(truth score.Truth) map[string]int {
	const sure = .95 // a sketch of 128 bits strays from the truth by .05 in one of three
	doubt := make(map[int]bool)
	for _, p := range truth.Pairs {
		if p.Jaccard < sure {
			doubt[p.A], doubt[p.B] = true, true
		}
	}
	groups := make(map[int]bool)
	for _, p := range truth.Pages {
		if doubt[p.Text] {
			groups[p.Group] = true
		}
	}
	texts := make(map[string]int)
	for _, p := range truth.Pages {
		if p.Group != 0 && groups[p.Group] {
			texts[p.URL] = p.Text
		}
	}
	return texts
}

// groupsOf returns the members of the group of each document, sorted; for a page
// in doubt, those with its text.
func groupsOf(pages map[string]page.Record, doubt map[string]int) map[string][]string {
	members := make(map[string][]string)
	kept := func(p page.Record) string {
		if p.Of != "" {
			return p.Of
		}
		return p.URL
	}
	for url, p := range pages {
		members[kept(p)] = append(members[kept(p)], url)
	}
	groups := make(map[string][]string)
	for url, p := range pages {
		g := slices.Clone(members[kept(p)])
		if text, ok := doubt[url]; ok {
			g = slices.DeleteFunc(g, func(other string) bool { return doubt[other] != text })
		}
		slices.Sort(g)
		groups[url] = g
	}
	return groups
}

package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gatecrawl"
	"gatecrawl/testserver"
)

// TestKilledRecrawlsLoseNothing kills a re-crawl of a site that moved at random
// moments, goes on each time, and compares what is there at the end with a
// re-crawl that nobody killed.
func TestKilledRecrawlsLoseNothing(t *testing.T) {
	kills := 8
	if testing.Short() {
		kills = 3
	}
	seed := rand.Uint64()
	t.Logf("seed of the kills: %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	m, err := testserver.NewMoves(testserver.MovesOptions{Seed: 2001, Pages: 8})
	if err != nil {
		t.Fatal(err)
	}
	mirror := httptest.NewServer(m.Mirror())
	defer mirror.Close()
	site := httptest.NewServer(m.Site())
	defer site.Close()
	job, whole := filepath.Join(t.TempDir(), "killed"), filepath.Join(t.TempDir(), "whole")
	command(t, "run", "--job", job, "--delay", "3ms", "-u", site.URL+"/", "-u", mirror.URL+"/")
	if err := os.CopyFS(whole, os.DirFS(job)); err != nil {
		t.Fatal(err)
	}
	m.Move()
	start := time.Now()
	command(t, "run", "--job", whole, "--recrawl-copies", "0")
	took := time.Since(start)

	bin := buildCrawl(t)
	args := []string{"run", "--job", job, "--recrawl-copies", "0"}
	for i := range kills {
		cmd := exec.Command(bin, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }() // ends with the process
		select {
		case <-ended:
			t.Logf("the re-crawl ended before kill %d", i+1)
		case <-time.After(20*time.Millisecond + time.Duration(dice.Int64N(int64(took)/int64(kills)*4/3+1))):
			cmd.Process.Kill()
			<-ended
		}
		command(t, "check", "--job", job)
	}
	command(t, "run", "--job", job)
	command(t, "check", "--job", job)
	got, want := settledOf(t, bin, job), settledOf(t, bin, whole)
	groups, wantGroups := groupsOf(got, nil), groupsOf(want, nil)
	for url, w := range want {
		switch g, ok := got[url]; {
		case !ok:
			t.Errorf("%s has no record", url)
		case g.Digest != w.Digest || document(g) != document(w) || g.Rule != w.Rule:
			t.Errorf("%s is\n%+v\nwant\n%+v", url, g, w)
		case !slices.Equal(groups[url], wantGroups[url]):
			t.Errorf("group of %s is\n%v\nwant\n%v", url, groups[url], wantGroups[url])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d records count, want %d", len(got), len(want))
	}
}

// settledOf returns the records that count, by address.
func settledOf(t *testing.T, bin, job string) map[string]gatecrawl.Page {
	t.Helper()
	pages := make(map[string]gatecrawl.Page)
	lines, err := exec.Command(bin, "pages", "--json", "--job", job).Output()
	if err != nil {
		t.Fatalf("crawl pages: %v", err)
	}
	dec := json.NewDecoder(bytes.NewReader(lines))
	for dec.More() {
		var p gatecrawl.Page
		if err := dec.Decode(&p); err != nil {
			t.Fatalf("crawl pages: %v", err)
		}
		if p.ReplacedBy == 0 {
			pages[p.URL] = p
		}
	}
	return pages
}

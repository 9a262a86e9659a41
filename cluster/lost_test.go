package cluster

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
)

// TestAPartitionThatIsNotThereIsNotMadeAgain: its disk may not be mounted, and an empty partition in
// its place would be a job that has nothing left to do.
func TestAPartitionThatIsNotThereIsNotMadeAgain(t *testing.T) {
	root := t.TempDir()
	dir, disk := filepath.Join(root, "job"), filepath.Join(root, "disk")
	o := Options{Store: store.DefaultOptions(), Partitions: 2, Folders: []string{disk}}
	o.Store.Delay = 0
	c, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	var seeds []frontier.Candidate
	for _, host := range []string{"a.example", "b.example", "c.example", "d.example"} {
		u, err := weburl.Parse("https://" + host + "/")
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, frontier.Candidate{URL: u})
	}
	if _, err := c.Add(t.Context(), seeds); err != nil {
		t.Fatal(err)
	}
	l, err := c.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := page.Record{URL: l.URL.String(), Verdict: page.VerdictFailed, Failure: "http 404", Status: 404}
	if _, err := c.Settle(context.WithoutCancel(t.Context()), &page.Visit{Lease: l, Page: p}); err != nil {
		t.Fatal(err)
	}
	closeVerified(t, c)

	missing := func(what, at string) {
		t.Helper()
		away := at + ".away"
		if err := os.Rename(at, away); err != nil {
			t.Fatal(err)
		}
		for _, readOnly := range []bool{false, true} {
			o.Store.ReadOnly = readOnly
			c, err := Open(dir, o)
			if err == nil {
				c.Close()
			}
			if err == nil || !strings.Contains(err.Error(), what+" of job "+dir+" is not in "+at) {
				t.Errorf("Open without %s, to be read %v: %v", at, readOnly, err)
			}
		}
		o.Store.ReadOnly = false
		if err := os.RemoveAll(at); err != nil { // the old code has made it
			t.Fatal(err)
		}
		if err := os.Rename(away, at); err != nil {
			t.Fatal(err)
		}
	}
	missing("partition 1", filepath.Join(disk, "job-p0001"))
	missing("partition 0", filepath.Join(disk, "job-p0000"))
	missing("the gate", filepath.Join(dir, "gate"))
	if c, err = Open(dir, o); err != nil {
		t.Fatal(err)
	}
	if n := c.Totals(); n.Pages != 1 || n.Queued != int64(len(seeds)-1) {
		t.Errorf("%d pages and %d URLs in the queue, want 1 and %d", n.Pages, n.Queued, len(seeds)-1)
	}
	closeVerified(t, c)
}

// TestALostLayoutIsNotMadeForAnotherNumberOfPartitions: domains would be in other partitions than their URLs.
func TestALostLayoutIsNotMadeForAnotherNumberOfPartitions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	o := Options{Store: store.DefaultOptions(), Partitions: 3}
	c, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	closeVerified(t, c)
	if err := os.Remove(filepath.Join(dir, fileLayout)); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 4, 0, 3} {
		o.Partitions = n
		c, err := Open(dir, o)
		if err == nil {
			err = c.Close()
		}
		if n == 3 && err != nil || n != 3 && (err == nil || !strings.Contains(err.Error(), "3 of its partitions, and no "+fileLayout)) {
			t.Errorf("Open for %d partitions: %v", n, err)
		}
		if Exists(dir) != (n == 3) {
			t.Errorf("after Open for %d partitions there is a layout: %v", n, n != 3)
		}
	}
}

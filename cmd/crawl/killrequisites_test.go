package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gatecrawl.example/gatecrawl/testserver/slow"
)

// TestKilledCrawlsLoseNoRequisites kills a crawl that fetches what its pages need after each
// share of the requests, goes on each time, and counts what was asked for.
func TestKilledCrawlsLoseNoRequisites(t *testing.T) {
	const pages, pictures, workers, kills = 12, 6, 4, 3
	if !slow.Wanted() {
		t.Skip("GATECRAWL_SLOW is not set")
	}
	var count requestCount
	var mu sync.Mutex
	asked := make(map[string]int)
	site := httptest.NewServer(count.of(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		if strings.HasSuffix(r.URL.Path, ".png") {
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "picture ", r.URL.Path)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		for i := range pages {
			fmt.Fprintf(w, "<p>%s word %d of <a href=/%d>a link</a></p>", r.URL.Path, i, i)
		}
		for i := range pictures {
			fmt.Fprintf(w, "<img src=%s-%d.png>", strings.TrimSuffix(r.URL.Path, "/")+"/x", i)
		}
	})))
	defer site.Close()
	bin, job := buildCrawl(t), filepath.Join(t.TempDir(), "job")
	run := func() *exec.Cmd {
		return exec.Command(bin, "run", "--job", job, "-u", site.URL+"/", "--dedup", "mark", "--requisites", "--delay", "0", "--workers", fmt.Sprint(workers))
	}
	done := 0
	for range kills {
		if was, err := killed(t, run(), count.get, (pages+1)*(pictures+1)/(kills+1)); was {
			done++
		} else if err != nil {
			t.Fatal(err)
		}
		checkKilled(t, bin, job)
	}
	if out, err := run().CombinedOutput(); err != nil {
		t.Fatalf("last run: %v\n%s", err, out)
	}
	if out, err := exec.Command(bin, "check", "--job", job).CombinedOutput(); err != nil {
		t.Errorf("check: %v\n%s", err, out)
	}
	out, err := exec.Command(bin, "export", "--job", job, "--format", "warc").Output()
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	twice := 0
	for path, n := range asked {
		if !strings.HasSuffix(path, ".png") {
			continue
		}
		twice += n - 1
		if got := strings.Count(string(out), "\r\nWARC-Target-URI: "+site.URL+path+"\r\n"); got != 1 {
			t.Errorf("%s has %d records, want 1", path, got)
		}
	}
	if len(asked) < (pages+1)*pictures {
		t.Errorf("%d URLs were asked for, want the pictures of all pages", len(asked))
	}
	if twice > workers*done {
		t.Errorf("%d pictures were asked for again after %d kills, want at most %d (workers x kills)", twice, done, workers*done)
	}
	t.Logf("%d kills; %d pictures asked for again", done, twice)
}

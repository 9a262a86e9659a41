package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/score"
	"gatecrawl.example/gatecrawl/testserver/slow"
	"gatecrawl.example/gatecrawl/warc"
)

// TestDedupOfAnArchive writes the pages of a web with known copies into a WARC
// file, and compares what crawl dedup says of it with the truth. With
// GATECRAWL_DEDUP_PAGES the web has about that many pages; then speed and memory
// mean something, and are logged.
func TestDedupOfAnArchive(t *testing.T) {
	t.Parallel()
	pages, large := 320, false
	if slow.Wanted() {
		pages = 400
	}
	if s := os.Getenv("GATECRAWL_DEDUP_PAGES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 400 {
			t.Fatalf("GATECRAWL_DEDUP_PAGES=%s: want 400 pages or more", s)
		}
		pages, large = n, true
	}
	web, err := testserver.New(testserver.Bench(16, pages/16))
	if err != nil {
		t.Fatal(err)
	}
	if err := web.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	file := filepath.Join(t.TempDir(), "web.warc.gz")
	archive(t, file, web.Truth().Pages)

	bin := buildCrawl(t)
	one, _ := dedupOf(t, bin, file, "--workers", "1")
	many, usage := dedupOf(t, bin, file, "--workers", "5")
	if !bytes.Equal(one, many) {
		t.Error("another number of workers gave other verdicts")
	}
	records := recordsOf(t, many)
	report := web.Score(records)
	if report.Exact.Precision() < 1 || report.Exact.Recall() < 1 || report.Near.Precision() < .95 || report.Lost > 0 {
		t.Errorf("against the truth: exact %+v, near %+v, lost %d, wrong %+v", report.Exact, report.Near, report.Lost, report.Wrong[:min(10, len(report.Wrong))])
	}
	if large {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d pages in %.1f s, %.0f pages/s; %.0f pages a CPU second; peak memory %d MB; archive %d MB; near copies: %+v",
			len(records), usage.took.Seconds(), float64(len(records))/usage.took.Seconds(),
			float64(len(records))/usage.cpu.Seconds(), usage.peak>>20, info.Size()>>20, report.Near)
	}
}

// The pages of a job are compared without what their site repeats, whether the job had seen that
// when it read them or not.
func TestDedupOfAJobThatKeptItsCopies(t *testing.T) {
	t.Parallel()
	const pages = 40
	words := func(seed, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "w%d ", (seed*7919+i*104729)%4001)
		}
		return b.String()
	}
	var menu strings.Builder
	for i := range 30 {
		fmt.Fprintf(&menu, "<li><a href=/elsewhere/%d>%s</a>", i, words(9000+i, 3))
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var kind string
		var n int
		if _, err := fmt.Sscanf(strings.ReplaceAll(r.URL.Path, "/", " "), "%s %d", &kind, &n); err != nil || kind == "elsewhere" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Page %d</title><ul>%s<li><a href=/elsewhere/%s-%d>Print this</a></ul><div><p>%s</p></div><h1>Page %d</h1><p>%s</p><!-- %s -->", n, menu.String(), kind, n, words(8000, 20), n, words(n, 14), kind)
	}))
	defer site.Close()
	var seeds strings.Builder
	for _, kind := range []string{"page", "copy"} {
		for n := range pages {
			fmt.Fprintf(&seeds, "%s/%s/%d\n", site.URL, kind, n)
		}
	}
	bin, job := buildCrawl(t), filepath.Join(t.TempDir(), "job")
	cmd := exec.Command(bin, "run", "--job", job, "--dedup", "mark", "--delay", "0", "--workers", "1", "--depth", "0", "--url-rules-learn", "off", "--seeds", "-")
	cmd.Stdin = strings.NewReader(seeds.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	found, _ := dedupOf(t, bin, job)
	if copies := bytes.Count(found, []byte(`"verdict":"copy"`)); copies != pages {
		t.Errorf("%d of %d copies were found", copies, pages)
	}
}

// archive fetches pages and writes them into a WARC file.
func archive(t *testing.T, file string, pages []score.Page) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := warc.NewWriter(f, warc.Gzip, 0)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, p := range pages {
		if p.Kind == score.KindForbidden {
			continue // of which the truth is that nobody has them
		}
		resp, err := client.Get(p.URL)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Write(warc.ResponseDraft(p.URL, time.Now(), resp.StatusCode, resp.Header, body)); err != nil {
			t.Fatal(err)
		}
	}
}

// A cost is what a process took.
type cost struct {
	took, cpu time.Duration
	peak      int64 // bytes of memory
}

func dedupOf(t *testing.T, bin, file string, args ...string) ([]byte, cost) {
	t.Helper()
	cmd := exec.Command(bin, append([]string{"dedup", "--json", file}, args...)...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	c := cost{took: time.Since(start), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peak = u.Maxrss
		if runtime.GOOS == "linux" {
			c.peak <<= 10 // in kilobytes there
		}
	}
	return out, c
}

// recordsOf reads what dedup has printed of documents.
func recordsOf(t *testing.T, out []byte) (rs []score.Record) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var j corpus.JudgedLine
		if err := dec.Decode(&j); err == io.EOF {
			return rs
		} else if err != nil {
			t.Fatal(err)
		}
		if j.Verdict == page.VerdictNew || j.Verdict == page.VerdictCopy {
			rs = append(rs, score.Record{
				URL: j.URL, Copy: j.Verdict == page.VerdictCopy, Of: j.Of, Level: j.Level, Class: score.Class(j.Class),
			})
		}
	}
}

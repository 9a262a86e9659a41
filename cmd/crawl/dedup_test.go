package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
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

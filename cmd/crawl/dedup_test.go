package main

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/testserver"
	"gatecrawl/warc"
)

// TestDedupOfAnArchive writes the pages of a web with known copies into a WARC
// file, and holds what crawl dedup says of it against the truth. With
// CRAWL_DEDUP_PAGES the web has about that many pages; then speed and memory
// mean something, and are logged.
func TestDedupOfAnArchive(t *testing.T) {
	pages, large := 400, false
	if s := os.Getenv("CRAWL_DEDUP_PAGES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 400 {
			t.Fatalf("CRAWL_DEDUP_PAGES=%s: want 400 pages or more", s)
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
func archive(t *testing.T, file string, pages []testserver.Page) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := warc.NewWriter(f, true, 0)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, p := range pages {
		if p.Kind == testserver.KindForbidden {
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
	began := time.Now()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd.Args, err)
	}
	c := cost{took: time.Since(began), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peak = u.Maxrss
		if runtime.GOOS == "linux" {
			c.peak <<= 10 // in kilobytes there
		}
	}
	return out, c
}

// recordsOf reads what dedup has printed of documents.
func recordsOf(t *testing.T, out []byte) (rs []testserver.Record) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var j judged
		if err := dec.Decode(&j); err == io.EOF {
			return rs
		} else if err != nil {
			t.Fatal(err)
		}
		if j.Verdict == gatecrawl.VerdictNew || j.Verdict == gatecrawl.VerdictCopy {
			rs = append(rs, testserver.Record{
				URL: j.URL, Copy: j.Verdict == gatecrawl.VerdictCopy, Of: j.Of, Level: j.Level, Class: testserver.Class(j.Class),
			})
		}
	}
}

func TestGroupsAreJoinedByAPageThatIsNearTwo(t *testing.T) {
	var j joins
	for _, pair := range [][2]dedup.DocID{{1, 4}, {2, 5}, {3, 6}, {5, 7}, {4, 7}} {
		j.join(pair[0], pair[1])
	}
	j.join(9, 9)
	var got [][]dedup.DocID
	err := j.members(func(pages []dedup.DocID) error {
		got = append(got, slices.Clone(pages))
		return nil
	})
	want := [][]dedup.DocID{{1, 2, 4, 5, 7}, {3, 6}}
	if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("groups are %v, %v; want %v", got, err, want)
	}
}

func TestASpoolGivesBackWhatWasAdded(t *testing.T) {
	s, err := newSpool()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	sig := func(n int) dedup.Signature { return dedup.SignText(words(uint64(n), 50)) }
	address := func(n int) string { return "http://example.org/" + words(uint64(n), n%7) }
	for n := 1; n <= 1000; n++ {
		if err := s.add(address(n), sig(n), dedup.Text{}, dedup.Verdict{Of: dedup.DocID(n - 1), Level: 5, Class: 3, Distance: n % 7, Similarity: .5}); err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{1, n/2 + 1, n} {
			p, url, err := s.page(dedup.DocID(k))
			if err != nil || url != address(k) || p.Sign != sig(k) || p.verdict().Distance != k%7 {
				t.Fatalf("page %d of %d is %s, %+v, %v", k, n, url, p, err)
			}
		}
	}
	if _, _, err := s.page(1001); err == nil {
		t.Error("page 1001 of 1000 is given")
	}
}

// A pulled sequence says how far it was read.
func counted(n *int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for ; *n < 1_000_000; *n++ {
			if !yield(*n, nil) {
				return
			}
		}
	}
}

func TestFewItemsAreInHandAtOnce(t *testing.T) {
	var read int
	const workers = 3
	seen := 0
	stop := io.ErrClosedPipe
	err := inTurn(counted(&read), workers, func(n int) int { return n }, func(n int) error {
		if n != seen {
			t.Fatalf("item %d, want %d", n, seen)
		}
		if seen++; seen == 100 {
			return stop
		}
		return nil
	})
	if err != stop && err.Error() != stop.Error() {
		t.Errorf("inTurn = %v, want %v", err, stop)
	}
	if most := 100 + 5*workers + 2; read > most {
		t.Errorf("%d items were read for 100, want %d at most", read, most)
	}
}

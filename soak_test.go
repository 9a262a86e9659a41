package gatecrawl_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/maphash"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/suite"
)

// soakHosts is how many hosts the web of the soak has. Of each ten one has a
// robots.txt that is no use.
const soakHosts = 40

// A badWeb is a web without end whose hosts fail in every way that servers do,
// and that notes who asks too often or for what robots.txt closes.
type badWeb struct {
	delay time.Duration
	bomb  []byte

	mu       sync.Mutex
	last     map[string]time.Time // of each host: when it was last asked
	requests int
	faults   map[string]int // by kind
	early    []string       // requests that came before their time
	closed   []string       // requests for what robots.txt closes
}

// newBadWeb serves one host on each of a row of loopback addresses.
func newBadWeb(t *testing.T, delay time.Duration) (*badWeb, []string) {
	t.Helper()
	w := &badWeb{delay: delay, last: make(map[string]time.Time), faults: make(map[string]int)}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(make([]byte, 20<<20)) // 20 MB of zeros become 20 kB
	z.Close()
	w.bomb = b.Bytes()

	var seeds []string
	for i := range soakHosts {
		l, err := net.Listen("tcp", fmt.Sprintf("127.77.0.%d:0", i+1))
		if err != nil {
			t.Skipf("this system does not answer on all of 127.0.0.0/8: %v", err)
		}
		srv := &http.Server{Handler: w}
		go srv.Serve(l) // ends with Close
		t.Cleanup(func() { srv.Close() })
		seeds = append(seeds, "http://"+l.Addr().String()+"/p/0")
	}
	return w, seeds
}

// ServeHTTP notes the request, fails if it is its turn, or serves a page.
func (w *badWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.requests++
	if last, ok := w.last[r.Host]; ok && time.Since(last) < w.delay {
		w.early = append(w.early, fmt.Sprintf("%s%s, %v after another", r.Host, r.URL.Path, time.Since(last)))
	}
	w.last[r.Host] = time.Now()
	if strings.HasPrefix(r.URL.Path, "/closed/") {
		w.closed = append(w.closed, r.Host+r.URL.Path)
	}
	w.mu.Unlock()
	if r.URL.Path == "/robots.txt" {
		w.robots(rw, r)
		return
	}
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/p/"))
	if err != nil {
		http.NotFound(rw, r)
		return
	}
	if kind := soakFault(r.Host, n); kind != "" {
		w.mu.Lock()
		w.faults[kind]++
		w.mu.Unlock()
		w.fail(rw, r, kind)
		return
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(rw, "<!DOCTYPE html><title>Page %d</title><main>%s", n/4, prose(n/4)) // each text four times
	for i := 1; i <= 3; i++ {
		fmt.Fprintf(rw, ` <a href="/p/%d">next</a> <a href="/closed/%d">closed</a>`, 3*n+i, n)
	}
	fmt.Fprint(rw, "</main>")
}

// robots answers for robots.txt: nearly all hosts close a folder.
func (w *badWeb) robots(rw http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	switch {
	case strings.HasSuffix(host, "0"): // .10, .20, ...: longer than is read, and the rule comes first
		fmt.Fprint(rw, "User-agent: *\nDisallow: /closed/\n")
		for range 1 << 14 {
			fmt.Fprintf(rw, "# %0100d\n", 0)
		}
	default:
		fmt.Fprint(rw, "User-agent: *\nDisallow: /closed/\n")
	}
}

// soakFaults are the ways to fail. Each takes its share of pages.
var soakFaults = []string{
	"stall", "trickle", "reset", "endless headers", "endless body", "short body", "broken gzip", "bomb",
	"500", "503", "redirect loop", "redirect to a private address", "not found",
}

var soakSeed = maphash.MakeSeed()

// soakFault says how a page fails; "": it does not. First pages never do.
func soakFault(host string, n int) string {
	if n == 0 {
		return ""
	}
	h := maphash.String(soakSeed, fmt.Sprint(host, n)) % 100
	if int(h) >= len(soakFaults) {
		return ""
	}
	return soakFaults[h]
}

func (w *badWeb) fail(rw http.ResponseWriter, r *http.Request, kind string) {
	rw.Header().Set("Content-Type", "text/html")
	switch kind {
	case "stall":
		<-r.Context().Done()
	case "trickle":
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for range 100 {
			fmt.Fprint(rw, "x")
			rw.(http.Flusher).Flush()
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	case "reset", "endless headers":
		conn, buf, err := rw.(http.Hijacker).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer conn.Close()
		if kind == "endless headers" {
			endlessHeaders(buf)
		}
	case "endless body":
		for chunk := bytes.Repeat([]byte("endless "), 1<<10); r.Context().Err() == nil; {
			if _, err := rw.Write(chunk); err != nil {
				return
			}
		}
	case "short body":
		rw.Header().Set("Content-Length", "1000")
		fmt.Fprint(rw, "<p>less than was said")
		panic(http.ErrAbortHandler)
	case "broken gzip":
		rw.Header().Set("Content-Encoding", "gzip")
		rw.Write(w.bomb[:len(w.bomb)/2])
	case "bomb":
		rw.Header().Set("Content-Encoding", "gzip")
		rw.Write(w.bomb)
	case "500":
		rw.WriteHeader(http.StatusInternalServerError)
	case "503":
		rw.Header().Set("Retry-After", "1")
		rw.WriteHeader(http.StatusServiceUnavailable)
	case "redirect loop":
		http.Redirect(rw, r, r.URL.Path, http.StatusFound)
	case "redirect to a private address":
		http.Redirect(rw, r, "http://10.0.0.1/", http.StatusFound)
	default:
		http.NotFound(rw, r)
	}
}

func endlessHeaders(buf *bufio.ReadWriter) {
	io.WriteString(buf, "HTTP/1.1 200 OK\r\n")
	for i := 0; ; i++ {
		if _, err := fmt.Fprintf(buf, "X-%d: %0100d\r\n", i, i); err != nil {
			return
		}
	}
}

// TestSoak crawls a web where one page in eight fails, for some seconds or, with
// GATECRAWL_SOAK=30m, for as long as that says; nobody is asked too often or for
// what is closed, the job is sound, and memory does not grow.
func TestSoak(t *testing.T) {
	t.Parallel()
	long := 3 * time.Second
	if v := os.Getenv("GATECRAWL_SOAK"); v != "" {
		var err error
		if long, err = time.ParseDuration(v); err != nil {
			t.Fatalf("GATECRAWL_SOAK: %v", err)
		}
	}
	const delay = 50 * time.Millisecond
	web, seeds := newBadWeb(t, delay)
	o, so := gatecrawl.DefaultOptions(), store.DefaultOptions()
	so.Delay, so.Backoff, so.MaxRest = delay, 100*time.Millisecond, 2*time.Second
	o.Workers = 64
	so.ParkFor = time.Second
	// So that files are written and merged, and what memory is filled with is full soon.
	so.QueueMemory, so.Dedup.Memory, so.Dedup.Recent = 1<<20, 1<<12, 1<<12
	fo := fetch.Options{Timeout: time.Second, HeaderTimeout: time.Second, StallTimeout: 500 * time.Millisecond, MaxBody: 1 << 20}

	watch := make(chan struct{})
	memory := make(chan []int64, 1)
	go func() { memory <- watchMemory(watch, long/20) }() // ends with watch
	start := time.Now()
	s := run(t, o, so, fo, seeds, long)
	ran := time.Since(start)
	close(watch)
	rss := <-memory

	suite.Verify(t, s)
	web.mu.Lock()
	defer web.mu.Unlock()
	totals := s.Totals()
	t.Logf("%v: %d requests, %d pages: %d new, %d copies, %d failed; %d retries; memory in MB at each twentieth: %v",
		long, web.requests, totals.Pages, totals.New, totals.Copies, totals.Failed, totals.Retries, rss)
	t.Logf("faults served: %v", web.faults)
	for _, f := range append(web.early, web.closed...) {
		t.Errorf("asked too early, or for what is closed: %s", f)
	}
	if totals.New == 0 || totals.Copies == 0 {
		t.Error("nothing was crawled")
	}
	if ran < long {
		t.Errorf("the web has no end, but the crawl ended after %v of %v, with %d URLs in the queue", ran, long, totals.Queued)
	}
	for _, kind := range soakFaults {
		if web.faults[kind] == 0 && long >= time.Minute {
			t.Errorf("no page failed by %s", kind)
		}
	}
	if long >= time.Minute {
		half := len(rss) / 2
		if first, second := slices.Max(rss[half/2:half]), slices.Max(rss[half:]); second > first+first/4 {
			t.Errorf("memory grew from %d MB in the second quarter to %d MB in the second half", first, second)
		}
	}
}

// watchMemory returns the memory of the process, without mapped files, at each
// tick, in MB.
func watchMemory(done <-chan struct{}, every time.Duration) (mb []int64) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return mb
		case <-tick.C:
			mb = append(mb, anonymous()>>20)
		}
	}
}

// anonymous returns the bytes of memory that no file stands behind; where the
// system does not say, what the heap has.
func anonymous() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err == nil {
		for line := range strings.Lines(string(text)) {
			if v, ok := strings.CutPrefix(line, "RssAnon:"); ok {
				kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v), "kB")), 10, 64)
				return kb << 10
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapSys)
}

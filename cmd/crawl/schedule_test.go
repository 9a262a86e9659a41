package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/control/hook"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/testserver/await"
)

// A newsSite has a front page that names a feed in its head, and a sitemap that robots.txt names.
// With each round of the crawl, which its hook tells it of, both have a story more.
type newsSite struct {
	*httptest.Server
	mu    sync.Mutex
	round int
	asked [][]string // paths, by round
	told  []hookEvent
	bad   []string // what is wrong with what the hook got
	tries int
}

func newNewsSite(t *testing.T) *newsSite {
	n := &newsSite{asked: [][]string{nil}}
	n.Server = httptest.NewServer(n)
	t.Cleanup(n.Close)
	return n
}

func (n *newsSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r.Method == http.MethodPost {
		n.hook(w, r)
		return
	}
	n.asked[n.round] = append(n.asked[n.round], r.URL.Path)
	var items strings.Builder
	list := func(format, path string) string {
		for i := range n.round + 1 {
			fmt.Fprintf(&items, format, fmt.Sprintf("%s%s%d", n.URL, path, i))
		}
		return items.String()
	}
	switch path := r.URL.Path; {
	case path == "/robots.txt":
		fmt.Fprintf(w, "User-agent: *\nAllow: /\nSitemap: %s/sitemap.xml\n", n.URL)
	case path == "/sitemap.xml":
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprintf(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">%s</urlset>`, list("<url><loc>%s</loc></url>", "/listed/"))
	case path == "/feed":
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprintf(w, `<rss version="2.0"><channel><title>News</title>%s</channel></rss>`, list("<item><title>A story</title><link>%s</link></item>", "/fed/"))
	case path == "/", strings.HasPrefix(path, "/listed/"), strings.HasPrefix(path, "/fed/"):
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		words := rand.New(rand.NewPCG(crc64.Checksum([]byte(path), crc64.MakeTable(crc64.ISO)), 1))
		fmt.Fprintf(w, "<html><head><title>Page %s</title><link rel=alternate type=application/rss+xml href=/feed></head><body><h1>Page %s</h1><p>", path, path)
		for range 200 {
			fmt.Fprintf(w, "word%d ", words.IntN(5000))
		}
	default:
		http.NotFound(w, r)
	}
}

// hook takes what a run is told of at the second try.
func (n *newsSite) hook(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	mac := hmac.New(sha256.New, []byte("sixteen letters!"))
	mac.Write(body)
	if got, want := r.Header.Get(hook.SignatureHeader), "sha256="+hex.EncodeToString(mac.Sum(nil)); got != want {
		n.bad = append(n.bad, fmt.Sprintf("signed %q, want %q", got, want))
	}
	if n.tries++; n.tries%2 == 1 {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	var one hookEvent
	if err := json.Unmarshal(body, &one); err != nil {
		n.bad = append(n.bad, err.Error())
	}
	n.told = append(n.told, one)
	n.round++
	n.asked = append(n.asked, nil)
}

// A scheduled is crawl run --every, under way.
type scheduled struct {
	stderr lockedBuffer
	ended  chan error
	stop   func()
}

func startSchedule(t *testing.T, n *newsSite, job, every string, more ...string) *scheduled {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	s := &scheduled{ended: make(chan error, 1), stop: cancel}
	root := newRoot()
	root.SetArgs(append([]string{"run", "--job", job, n.URL + "/", "--delay", "0", "--workers", "1", "--every", every}, more...))
	root.SetErr(&s.stderr)
	root.SetOut(io.Discard)
	go func() { // ends when ctx is cancelled
		s.ended <- root.ExecuteContext(ctx)
		close(s.ended)
	}()
	t.Cleanup(func() { // before its folder is removed
		cancel()
		<-s.ended
	})
	return s
}

// await waits until is is true, and stops the schedule.
func (s *scheduled) await(t *testing.T, is func() bool) {
	t.Helper()
	await.Until(t, 3*time.Minute, func() error { // the schedule ends before
		if is() {
			return nil
		}
		select {
		case err := <-s.ended:
			t.Fatalf("the schedule ended: %v\n%s", err, s.stderr.String())
		default:
		}
		return errors.New("the schedule goes on")
	})
	s.stop()
	<-s.ended
}

func TestBetweenTwoRunsTheJobIsServed(t *testing.T) {
	t.Parallel()
	s := startSchedule(t, newNewsSite(t), filepath.Join(t.TempDir(), "job"), "1h", "--serve", "127.0.0.1:0")
	shown := regexp.MustCompile(`this crawl is shown at (http://127.0.0.1:\d+)/\n`)
	s.await(t, func() bool {
		said := s.stderr.String()
		at := shown.FindAllStringSubmatch(said, -1)
		if !strings.Contains(said, "the next run starts at") || len(at) != 2 {
			return false
		}
		r, err := http.Get(at[1][1] + "/metrics")
		if err != nil {
			t.Errorf("what is said to be served between two runs is not: %v", err)
			return true
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		return err == nil && strings.Contains(string(b), "crawl_pages{")
	})
}

// commandsOn returns a function that runs a command on a job, which must succeed, and returns what it says.
func commandsOn(t *testing.T, job string) func(args ...string) string {
	return func(args ...string) string {
		t.Helper()
		var out lockedBuffer
		root := newRoot()
		root.SetArgs(append(args, "--job", job))
		root.SetOut(&out)
		root.SetErr(&out)
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Errorf("crawl %s: %v", strings.Join(args, " "), err)
		}
		return out.String()
	}
}

// TestBetweenTwoRunsTheJobIsChanged changes the settings of a job, adds a seed, and ends the schedule, while it waits for
// its next run and shows the job.
func TestBetweenTwoRunsTheJobIsChanged(t *testing.T) {
	t.Parallel()
	n := newNewsSite(t)
	job := filepath.Join(t.TempDir(), "job")
	s := startSchedule(t, n, job, "1h", "--serve", "127.0.0.1:0")
	await.Until(t, time.Minute, func() error {
		if !strings.Contains(s.stderr.String(), "the next run starts at") {
			return errors.New("the first run goes on")
		}
		return nil
	})
	crawls := commandsOn(t, job)
	if out := crawls("check", "--repair"); !strings.Contains(out, "0 breaches") {
		t.Errorf("crawl check --repair says\n%s", out)
	}
	if out := crawls("set", "--max-pages", "7", "--exclude", "/never/"); !strings.Contains(out, "the next run has these settings") || !strings.Contains(out, "7 pages at most") {
		t.Errorf("crawl set says\n%s", out)
	}
	await.Until(t, time.Minute, func() error { // for a moment after a change the schedule does not have the job
		if out := crawls("status"); !strings.Contains(out, "the next run starts at ") {
			return fmt.Errorf("crawl status says\n%s", out)
		}
		return nil
	})
	if out := crawls("seeds", "add", n.URL+"/listed/100"); !strings.Contains(out, "1 URL added") {
		t.Errorf("crawl seeds add says\n%s", out)
	}
	await.Until(t, time.Minute, func() error {
		if out := crawls("status"); !strings.Contains(out, "1 waiting") || !strings.Contains(out, "stopped: done; the next run starts at ") {
			return fmt.Errorf("crawl status says\n%s", out)
		}
		return nil
	})
	crawls("stop")
	if err := <-s.ended; err != nil {
		t.Errorf("the schedule ended: %v", err)
	}
	if now, err := crawl.SavedSettings(job); err != nil || now.MaxPages != 7 || !slices.Equal(now.Exclude, []string{"/never/"}) {
		t.Errorf("the job has max-pages %d and exclude %q, %v", now.MaxPages, now.Exclude, err)
	}
}

// TestARunIsDueByTheWallClockAfterASleep: a laptop sleeps for eight hours of the six until the next
// run. Its timers, and the clock that they go by, stand still meanwhile.
func TestARunIsDueByTheWallClockAfterASleep(t *testing.T) {
	for _, c := range []struct {
		what        string
		jump        time.Duration // of the wall clock, after the first look
		least, most time.Duration
	}{
		{"awake", 0, 6 * time.Hour, 6 * time.Hour},
		{"asleep", 8 * time.Hour, time.Second, time.Minute},
		{"asleep for a while", 2 * time.Hour, 4 * time.Hour, 4*time.Hour + time.Minute},
		{"set back", -8 * time.Hour, 6 * time.Hour, 6 * time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			awaitRun(t.Context(), began, 6*time.Hour, func() time.Time {
				if now := time.Now(); now.Equal(began) {
					return now
				}
				return time.Now().Add(c.jump)
			})
			if took := time.Since(began); took < c.least || took > c.most {
				t.Errorf("%s: the run starts after %v, want %v to %v", c.what, took, c.least, c.most)
			}
		})
	}
}

// TestARunThatIsDueWaitsForTheJob has another process read the job when the second run is due.
func TestARunThatIsDueWaitsForTheJob(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "job")
	s := startSchedule(t, newNewsSite(t), dir, "2s")
	says := func(what string, times int) {
		t.Helper()
		await.Until(t, time.Minute, func() error {
			if said := s.stderr.String(); strings.Count(said, what) < times {
				return fmt.Errorf("the schedule says\n%s", said)
			}
			return nil
		})
	}
	says("the next run starts at", 1)
	job, err := cli.OpenToRead(dir)
	if err != nil {
		t.Fatal(err)
	}
	says("the run is due, and starts when this ends: job", 1)
	if err := job.Close(); err != nil {
		t.Fatal(err)
	}
	says("the next run starts at", 2)
}

// A hook that does not answer is tried again for a minute and more: the summary is told before that,
// and the job is served meanwhile.
func TestWhileAHookIsTriedAgainTheJobIsServed(t *testing.T) {
	t.Parallel()
	tried := make(chan struct{}, 10)
	deaf := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tried <- struct{}{}
		http.Error(w, "not now", http.StatusServiceUnavailable)
	}))
	defer deaf.Close()
	s := startSchedule(t, newNewsSite(t), filepath.Join(t.TempDir(), "job"), "1h", "--serve", "127.0.0.1:0", "--hook-url", deaf.URL)
	<-tried
	<-tried // it waits for the third try, ten seconds
	said := s.stderr.String()
	shown := regexp.MustCompile(`this crawl is shown at (http://127.0.0.1:\d+)/\n`).FindAllStringSubmatch(said, -1)
	if !strings.Contains(said, "done: ") || strings.Contains(said, "the next run starts at") || len(shown) != 2 {
		t.Errorf("while a hook is tried again is said\n%s", said)
	} else if r, err := http.Get(shown[1][1] + "/readyz"); err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("while a hook is tried again the job is not served: %v", err)
	}
	began := time.Now()
	s.stop()
	<-s.ended
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it ended %v after it was stopped", took)
	}
	if len(tried) != 0 {
		t.Error("the hook is tried again after the schedule was stopped")
	}
}

func TestAScheduleCrawlsNewEntriesFirstAndTellsOfEachRun(t *testing.T) {
	t.Parallel()
	n := newNewsSite(t)
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("sixteen letters!\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startSchedule(t, n, filepath.Join(dir, "job"), "1s", "--hook-url", n.URL+"/hook", "--hook-secret-file", secret)
	s.await(t, func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.round >= 3
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, fault := range n.bad {
		t.Error(fault)
	}
	for i, r := range n.told[:3] {
		want := int64(2)
		if i == 0 {
			want = 4 // the front page and the feed besides
		}
		if r.Event != "run-ended" || r.Run.New != want {
			t.Errorf("run %d was told as %s with %d new pages, want run-ended with %d", i, r.Event, r.Run.New, want)
		}
	}
	for i := 1; i < 3; i++ {
		asked := n.asked[i]
		at := func(path string) int {
			for k, p := range asked {
				if p == path {
					return k
				}
			}
			return len(asked)
		}
		if last := max(at(fmt.Sprintf("/fed/%d", i)), at(fmt.Sprintf("/listed/%d", i))); last > 5 {
			t.Errorf("run %d asked for %v: what is new comes after the feed, the sitemap and robots.txt alone", i, asked)
		}
	}
}

// A list that is fetched each hour is a list, not the sites that its URLs are of.
func TestAScheduleOfSeedsAloneReadsNoSitemaps(t *testing.T) {
	t.Parallel()
	n := newNewsSite(t)
	s := startSchedule(t, n, filepath.Join(t.TempDir(), "job"), "1s", "--depth", "0", "--hook-url", n.URL+"/hook")
	s.await(t, func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.round >= 2
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, asked := range n.asked[:2] {
		for _, path := range asked {
			if path != "/" && path != "/robots.txt" {
				t.Errorf("run %d asked for %s, want the seed alone", i, path)
			}
		}
	}
}

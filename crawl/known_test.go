package crawl_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/earlier"
)

func TestWhatAnEarlierCrawlHasIsACopyAndTheRestIsKept(t *testing.T) {
	t.Parallel()
	second := false
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch body := text("bees"); {
		case r.URL.Path == "/":
			fmt.Fprintf(w, "<title>Start</title><p>%s<a href=/bees>bees</a> <a href=/late>late</a>", text("start"))
		case r.URL.Path == "/bees" && second:
			fmt.Fprintf(w, "<title>Bees</title><h1>Bees</h1><p>%s", strings.Replace(body, "bees-17", "wasps", 1))
		case r.URL.Path == "/bees":
			fmt.Fprintf(w, "<title>Bees</title><h1>Bees</h1><p>%s", body)
		case r.URL.Path == "/late" && second:
			fmt.Fprintf(w, "<title>Late</title><h1>Late</h1><p>%s<a href=/>start</a>", text("late"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	crawled := func(dir string, s configs.Settings, o crawl.Options) map[string]string {
		t.Helper()
		c, err := crawl.OpenWith(dir, s, o)
		if err != nil {
			t.Fatal(err)
		}
		defer check(t, c)
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := make(map[string]string)
		for p, err := range c.Pages(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			path := strings.TrimPrefix(p.URL, site.URL)
			if got[path] = string(p.Verdict); p.Archive != "" {
				got[path] = fmt.Sprintf("%s of %s in %s, level %d", p.Verdict, strings.TrimPrefix(p.Of, site.URL), filepath.Base(p.Archive), p.Level)
			}
		}
		return got
	}
	root := t.TempDir()
	old := filepath.Join(root, "old")
	s := quick(site.URL + "/")
	s.WARC = configs.WARCAll
	c, err := crawl.Open(old, s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	check(t, c)

	second = true
	for _, known := range []struct{ name, bees string }{
		{old, "copy of /bees in old, level 5"},
		{filepath.Join(old, "warc", "crawl-00001.cdxj"), "new"}, // it has digests alone
	} {
		s, base := quick(site.URL+"/"), filepath.Base(known.name)
		s.Known = []string{known.name}
		dir := filepath.Join(root, "new-"+base)
		var told []earlier.Source
		got := crawled(dir, s, crawl.Options{
			Log:   slog.New(slog.NewTextHandler(io.Discard, nil)),
			Known: func(s earlier.Source, done bool) { told = append(told, s) },
		})
		want := map[string]string{"/": "copy of / in " + base + ", level 3", "/bees": known.bees, "/late": "new"}
		for path, want := range want {
			if got[path] != want {
				t.Errorf("known %s: %s is %s, want %s", base, path, got[path], want)
			}
		}
		if len(told) != 2 || told[1].Documents != 2 {
			t.Errorf("known %s: told %+v, want that 2 documents are known", base, told)
		}
		if known.name != old {
			continue
		}
		// Asked for again, the job's pages are what they were.
		again := crawled(dir, s, crawl.Options{})
		for path, want := range want {
			if again[path] != want {
				t.Errorf("known %s, again: %s is %s, want %s", base, path, again[path], want)
			}
		}
	}
}

func TestAJobIsRefusedThatIsToKnowItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := quick("http://127.0.0.1:1/")
	s.Known = []string{dir}
	if c, err := crawl.Open(dir, s); err == nil || !strings.Contains(err.Error(), "is the job itself") {
		t.Errorf("Open = %v, %v; want that this is the job itself", c, err)
	}
	s.Known, s.Dedup = []string{"other"}, 0
	if c, err := crawl.Open(dir, s); err == nil || !strings.Contains(err.Error(), "known") {
		t.Errorf("without a gate: Open = %v, %v; want that known needs it", c, err)
	}
}

func TestACrawlThatCanUseNothingOfAnEarlierOneFetchesNothing(t *testing.T) {
	t.Parallel()
	asked := false
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer site.Close()
	lines := filepath.Join(t.TempDir(), "pages.jsonl")
	if err := os.WriteFile(lines, []byte(strings.Repeat(`{"url": "https://a.example/"}`+"\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := quick(site.URL + "/")
	s.Known = []string{lines}
	var log strings.Builder
	c, err := crawl.OpenWith(filepath.Join(t.TempDir(), "job"), s, crawl.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer check(t, c)
	var wrong *crawl.SettingError
	if _, err := c.Run(t.Context()); !errors.As(err, &wrong) || wrong.Setting != "known" || asked {
		t.Errorf("Run = %v, and the site was asked: %v; want that known is wrong, and no request", err, asked)
	}
	if n := strings.Count(log.String(), "\n"); n > 30 {
		t.Errorf("%d lines are logged for 100 lines that cannot be used", n)
	}
}

func TestAJobThatIsToKnowWhatIsNotThereIsNotMade(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "job")
	s := quick("http://127.0.0.1:1/")
	s.Known = []string{"no such archive"}
	if c, err := crawl.Open(dir, s); err == nil || !strings.Contains(err.Error(), "known") {
		t.Errorf("Open = %v, %v; want that it is not there", c, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of the job: %v, want that there is none", err)
	}
}

// The first pages of a site are read with its frame. A text of an earlier crawl has no frame, so that it is found when
// the frame is known.
func TestAPageThatIsReadAgainWithoutItsFrameIsKnown(t *testing.T) {
	t.Parallel()
	const pages = 24
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d.html", &n); err != nil || n > pages {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "<title>Shed %d</title><h1>Shed %[1]d</h1><p>%s</p><p>%s</p>", n, own(n), text("frame"))
	}))
	defer site.Close()
	root := t.TempDir()
	var rows, seeds strings.Builder
	for n := range pages {
		fmt.Fprintf(&rows, `{"url":"http://elsewhere.example/%d","title":"Shed %[1]d","text":"Shed %[1]d\n\n%[2]s"}`+"\n", n, own(n))
		fmt.Fprintf(&seeds, "%s/%d.html\n", site.URL, n)
	}
	file := filepath.Join(root, "known.jsonl")
	if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := quick(strings.Fields(seeds.String())...)
	s.Known = []string{file}
	c, err := crawl.Open(filepath.Join(root, "job"), s)
	if err != nil {
		t.Fatal(err)
	}
	defer check(t, c)
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	later := 0
	for p, err := range c.Pages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if p.Archive == "" {
			t.Errorf("%s is %s, %s", p.URL, p.Verdict, p.Reason)
		}
		if strings.Contains(p.Reason, "after it had been kept") {
			later++
		}
	}
	if later == 0 {
		t.Error("no page was kept at first")
	}
	if got := c.Totals(); got.New != 0 || got.Known != pages || got.Copies != pages {
		t.Errorf("totals %d new, %d known, %d copies, want that all %d are known", got.New, got.Known, got.Copies, pages)
	}
}

// own is the text of one page, in words that no other has.
func own(n int) string { return text(fmt.Sprintf("own%d", n))[:400] }

package gatecrawl_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/archive"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// largePages is a folder of HTML files, serveFiles the one that the server process serves.
const (
	largePages = "GATECRAWL_LARGE_PAGES"
	serveFiles = "GATECRAWL_SERVE_FILES"
)

// serveFolder serves each file of a folder from a host of its own, so that the pages have no
// template in common, and does otherwise what serve does.
func serveFolder(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil {
		return err
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		at := "/" + filepath.Base(f)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // ends with the process
			if r.URL.Path != at {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			w.Write(body) // a client that has gone needs no answer
		}))
		fmt.Printf("http://%s%s\n", l.Addr(), at)
	}
	fmt.Println()
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// BenchmarkLargePages takes the HTML files of a folder, such as published pages of 1 MB. Steps is what a page costs without network
// and tables: digests, head, reading, text, signature and verdict of a gate in memory, links, view and WARC record packed. It reports the mean, and the
// mean of the lowest of each page in all rounds, which other programs raise least. Crawl is a whole crawl of them, each on a host of
// its own, whose links are queued but not followed.
func BenchmarkLargePages(b *testing.B) {
	dir := os.Getenv(largePages)
	if dir == "" {
		b.Skip("set " + largePages + " to a folder of HTML files")
	}
	b.Run("Steps", func(b *testing.B) { benchSteps(b, dir) })
	b.Run("Crawl", func(b *testing.B) {
		seeds := served(b, serveFiles+"="+dir)
		o := gatecrawl.DefaultOptions()
		o.MaxPages = int64(len(seeds))
		measure(b, func() int { return crawlList(b, seeds, o, asUsual) })
	})
}

// The steps of benchSteps, in their order.
const (
	stepDigests = iota
	stepHead
	stepRead
	stepText
	stepGate // with the signature
	stepLinks
	stepView
	stepRecord
	steps
)

func benchSteps(b *testing.B, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(files) == 0 {
		b.Fatal("no HTML files in ", dir, err)
	}
	var pages [][]byte
	bytes := 0
	for _, f := range files {
		page, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		pages, bytes = append(pages, page), bytes+len(page)
	}
	scope, err := frontier.NewScope(frontier.DefaultScopeOptions())
	if err != nil {
		b.Fatal(err)
	}
	segments, err := segment.Open(b.TempDir(), segment.End{}, nil, segment.DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	defer segments.Close()
	var sums [steps]time.Duration
	lowest := make([][steps]time.Duration, len(pages))
	rounds := 0
	for b.Loop() {
		gate := dedup.NewSet(dedup.DefaultOptions())
		for i, page := range pages {
			took := stepsOf(b, fmt.Sprintf("https://host%d.example/%s", i, filepath.Base(files[i])), page, gate, scope, segments)
			for k, t := range took {
				sums[k] += t
				if rounds == 0 || t < lowest[i][k] {
					lowest[i][k] = t
				}
			}
		}
		rounds++
	}
	ms := func(t time.Duration, pages int) float64 { return t.Seconds() * 1000 / float64(pages) }
	var all, least time.Duration
	for k, name := range [steps]string{"digests", "head", "read", "text", "gate", "links", "view", "record"} {
		var low time.Duration
		for i := range lowest {
			low += lowest[i][k]
		}
		b.ReportMetric(ms(low, len(pages)), name+"-ms")
		all, least = all+sums[k], least+low
	}
	b.ReportMetric(ms(all, rounds*len(pages)), "cpu-ms/page")
	b.ReportMetric(ms(least, len(pages)), "lowest-cpu-ms/page")
	b.ReportMetric(float64(bytes)/1000/float64(len(pages)), "kB/page")
	b.ReportMetric(0, "ns/op")
}

// stepsOf takes a page through the steps and returns the processor time of each.
func stepsOf(b *testing.B, at string, html []byte, gate *dedup.Set, scope *frontier.Scope, segments *segment.Segments) (took [steps]time.Duration) {
	was := cputime.Used()
	lap := func(step int) {
		now := cputime.Used()
		took[step] += now - was
		was = now
	}
	u, err := weburl.Parse(at)
	if err != nil {
		b.Fatal(err)
	}
	sum := sha256.Sum256(html)
	page.HostlessOf(html, u.Hostname())
	lap(stepDigests)
	purify.ReadOrders(html, "text/html", fetch.Token)
	lap(stepHead)
	view, _ := purify.Reader{Answers: true, Unsummed: true}.PurifyOn(nil, at, html, "text/html")
	view.URL = at
	lap(stepRead)
	text := dedup.TextOf(view)
	lap(stepText)
	gate.AddText(at, text)
	lap(stepGate)
	base := page.Base(u, view)
	for i := range view.Links {
		l := &view.Links[i]
		if to, err := base.Parse(weburl.EncodeQuery(l.URL, view.Charset)); err == nil {
			to = scope.Clean(to)
			scope.Check(to, 1, frontier.Trail{}.Follow(u, to))
			l.URL = to.String()
		}
	}
	lap(stepLinks)
	page.PackViewOn(view, html)
	lap(stepView)
	visit := &page.Visit{Page: page.Record{URL: at, Status: http.StatusOK, Fetched: time.Now()}, Body: html, Sum: sum}
	if _, err := segments.Pack(archive.RecordOf(visit)); err != nil {
		b.Fatal(err)
	}
	lap(stepRecord)
	return took
}

package gatecrawl_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/env"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// The sites are served by a process of their own, so that the CPU seconds of a
// benchmark are the crawler's. Both share the machine's cores.
const (
	serveHosts = "GATECRAWL_SERVE_HOSTS"
	servePages = "GATECRAWL_SERVE_PAGES"
)

// benchPages is how many pages each of the 16 hosts of BenchmarkCrawl has.
const benchPages = "GATECRAWL_BENCH_PAGES"

func TestMain(m *testing.M) {
	if os.Getenv(serveHosts) != "" || os.Getenv(serveFiles) != "" {
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(slow.Tests{M: m}.Run())
}

// serve serves until standard input ends, and prints the seeds, one a line, and
// an empty line.
func serve() error {
	if dir := os.Getenv(serveFiles); dir != "" {
		return serveFolder(dir)
	}
	var hosts, pages int
	if _, err := fmt.Sscan(os.Getenv(serveHosts)+" "+os.Getenv(servePages), &hosts, &pages); err != nil {
		return err
	}
	web, err := testserver.New(testserver.Bench(hosts, pages))
	if err != nil {
		return err
	}
	if err := web.Start(context.Background()); err != nil {
		return err
	}
	defer web.Close()
	fmt.Println(strings.Join(web.Seeds(), "\n") + "\n")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// sites starts the server process and returns the seeds.
func sites(b testing.TB, hosts, pages int) []string {
	b.Helper()
	return served(b, fmt.Sprintf("%s=%d", serveHosts, hosts), fmt.Sprintf("%s=%d", servePages, pages))
}

// served starts the server process with environment variables and returns the seeds.
func served(b testing.TB, environ ...string) []string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), environ...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	var seeds []string
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != ""; {
		seeds = append(seeds, lines.Text())
	}
	if len(seeds) == 0 {
		b.Fatal("the server printed no seeds")
	}
	return seeds
}

// measure reports of what crawl does pages/s, CPU seconds for 1,000 pages, and how much memory
// a page has allocated: the last does not depend on what else the machine does.
func measure(b *testing.B, crawl func() int) {
	pages := 0
	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	start, before := time.Now(), cputime.Used()
	for b.Loop() {
		pages += crawl()
	}
	b.ReportMetric(float64(pages)/time.Since(start).Seconds(), "pages/s")
	b.ReportMetric((cputime.Used()-before).Seconds()*1000/float64(pages), "cpu-s/1000pages")
	runtime.ReadMemStats(&is)
	b.ReportMetric(float64(is.TotalAlloc-was.TotalAlloc)/1000/float64(pages), "alloc-kB/page")
	b.ReportMetric(float64(pages)/float64(b.N), "pages")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCrawl crawls 16 hosts of 2,000 pages of about 30 kB: gate, purify
// and durable store on, politeness delays off, 256 workers, of which some 64
// fetch at a time while the others wait for their commit. Beside it, in the
// same run and on the same sites, a bare loop of net/http that keeps and checks
// nothing, a plain program on colly's own queue, and one that helps colly with a
// set of its own.
func BenchmarkCrawl(b *testing.B) {
	hosts, pages := 16, env.Number(b, benchPages, 2000)
	seeds := sites(b, hosts, pages)
	name := fmt.Sprintf("%dHosts%dPages", hosts, pages)
	b.Run("Gatecrawl"+name, func(b *testing.B) {
		measure(b, func() int { return crawlAll(b, seeds, asUsual) })
		b.ReportMetric(peakMB(), "peak-rss-MB") // the first to run has the process to itself
	})
	b.Run("BareHTTP"+name, func(b *testing.B) { measure(b, func() int { return bareLoop(b, seeds) }) })
	b.Run("CollyQueue"+name, func(b *testing.B) { measure(b, func() int { return collyQueue(b, seeds, false) }) })
	b.Run("CollyQueueOwnSet"+name, func(b *testing.B) { measure(b, func() int { return collyQueue(b, seeds, true) }) })
}

// peakMB returns the most memory that this process has had, in MB.
func peakMB() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return float64(r.Maxrss) / 1024
}

// costOfAPage is how many times the CPU of the bare loop a page of a crawl takes with
// everything on, on the web of TestCostOfAPage (docs/measurements.md).
const costOfAPage = 8.7

// TestCostOfAPage tells when a page costs half as much again as is documented. It measures
// CPU time and not time, next to a bare loop in the same process, and takes the lowest of three
// rounds, which a busy machine raises least. It runs where GATECRAWL_COST is set.
func TestCostOfAPage(t *testing.T) {
	if os.Getenv("GATECRAWL_COST") == "" {
		t.Skip("set GATECRAWL_COST to measure the CPU of a page: it takes half a minute of CPU")
	}
	seeds := sites(t, 8, 400)
	perPage := func(crawl func() int) float64 {
		before := cputime.Used()
		pages := crawl()
		return (cputime.Used() - before).Seconds() * 1000 / float64(pages)
	}
	lowest := math.Inf(1)
	for range 3 {
		bare := perPage(func() int { return bareLoop(t, seeds) })
		ours := perPage(func() int { return crawlAll(t, seeds, asUsual) })
		t.Logf("%.3f CPU s for 1,000 pages, %.3f of the bare loop: %.2f times", ours, bare, ours/bare)
		lowest = min(lowest, ours/bare)
	}
	t.Logf("the lowest is %.2f times the bare loop; %.2f is documented", lowest, costOfAPage)
	if lowest > 1.5*costOfAPage {
		t.Errorf("a page costs %.2f times the CPU of the bare loop, want at most 1.5 times the documented %.2f: profile BenchmarkCrawl, or write down why in docs/measurements.md", lowest, costOfAPage)
	}
}

// TestCostOfCash tells what cash adds to the CPU of a page. It runs where GATECRAWL_COST_OF_CASH is the
// number of rounds.
func TestCostOfCash(t *testing.T) {
	costOf(t, "cash", os.Getenv("GATECRAWL_COST_OF_CASH"), func(o *store.Options) { o.Priority.Cash = 0 })
}

// TestCostOfParts tells what the search for pages that have parts of others adds to the CPU of a page:
// samples while it is stored, and the comparison at the end. It runs where GATECRAWL_COST_OF_PARTS is the
// number of rounds.
func TestCostOfParts(t *testing.T) {
	costOf(t, "parts", os.Getenv("GATECRAWL_COST_OF_PARTS"), func(o *store.Options) { o.Parts = false })
}

// costOf lets crawls with something and without it take turns in one process, on webs of the
// generator's benchmark, for as many rounds as are asked for.
func costOf(t *testing.T, what, times string, without func(*store.Options)) {
	rounds, err := strconv.Atoi(times)
	if err != nil {
		t.Skip("set its variable to the number of rounds: each takes half a minute of CPU")
	}
	seeds := sites(t, 8, 600)
	perPage := func(change func(*store.Options)) float64 {
		before := cputime.Used()
		pages := crawlAll(t, seeds, change)
		return (cputime.Used() - before).Seconds() * 1000 / float64(pages)
	}
	var with, bare, more []float64
	for round := range rounds {
		var a, b float64
		if round%2 == 0 {
			a = perPage(asUsual)
			b = perPage(without)
		} else {
			b = perPage(without)
			a = perPage(asUsual)
		}
		t.Logf("%.3f ms a page with %s, %.3f without: %+.3f", a, what, b, a-b)
		with, bare, more = append(with, a), append(bare, b), append(more, a-b)
	}
	median := func(v []float64) float64 {
		slices.Sort(v)
		return v[len(v)/2]
	}
	t.Logf("medians: %.3f ms a page with %s, %.3f without; of the differences of pairs %+.3f, the middle half %+.3f to %+.3f",
		median(with), what, median(bare), median(more), more[len(more)/4], more[len(more)*3/4])
}

func asUsual(*store.Options) {}

func crawlAll(b testing.TB, list []string, change func(*store.Options)) int {
	o := gatecrawl.DefaultOptions()
	o.Workers = 256
	return crawlList(b, list, o, change)
}

// crawlList crawls from a list of URLs and returns how many pages were fetched.
func crawlList(b testing.TB, list []string, o gatecrawl.Options, change func(*store.Options)) int {
	so := store.DefaultOptions()
	so.Delay, so.PerHost = 0, 16
	change(&so)
	dir := b.TempDir()
	st, err := store.Open(dir, so)
	if err != nil {
		b.Fatal(err)
	}
	f, err := fetch.New(fetch.Options{AllowLoopback: true})
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	sco := frontier.DefaultScopeOptions()
	scope, err := frontier.NewScope(sco)
	if err != nil {
		b.Fatal(err)
	}
	c, err := gatecrawl.New(o, st, f, scope, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := c.Seed(b.Context(), seeds.Read(strings.NewReader(strings.Join(list, "\n")), "seeds"), func(err error) { b.Error(err) }); err != nil {
		b.Fatal(err)
	}
	if ended, err := c.Run(b.Context()); err != nil || ended != gatecrawl.Done && ended != gatecrawl.PageLimit {
		b.Fatal(ended, err)
	}
	if _, err := st.FindParts(b.Context()); err != nil { // as package crawl does at the end
		b.Fatal(err)
	}
	t := st.Totals()
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	if m, ok := b.(interface{ ReportMetric(float64, string) }); ok {
		m.ReportMetric(float64(onDisk(b, dir))/1000/float64(t.New), "disk-kB/kept-page")
	}
	return int(t.Fetched)
}

// onDisk returns the bytes of disk that the files of a folder take: bbolt's is longer than what
// is written of it.
func onDisk(b testing.TB, dir string) (bytes int64) {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		i, err := d.Info()
		if err == nil {
			bytes += i.Sys().(*syscall.Stat_t).Blocks * 512
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return bytes
}

// bareLoop fetches every page once and scans it for links.
func bareLoop(b testing.TB, seeds []string) int {
	client := &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	more := sync.NewCond(&mu)
	seen := make(map[string]bool)
	hosts := make(map[string]bool)
	var waiting []string
	busy, fetched := 0, 0
	add := func(u string) {
		if !seen[u] {
			seen[u] = true
			waiting = append(waiting, u)
			more.Signal()
		}
	}
	for _, s := range seeds {
		u, err := url.Parse(s)
		if err != nil {
			b.Fatal(err)
		}
		hosts[u.Host] = true
		add(s)
	}
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for {
				mu.Lock()
				for len(waiting) == 0 && busy > 0 {
					more.Wait()
				}
				if len(waiting) == 0 {
					more.Broadcast()
					mu.Unlock()
					return
				}
				page := waiting[0]
				waiting = waiting[1:]
				busy++
				mu.Unlock()

				var links []string
				if resp, err := client.Get(page); err == nil {
					body, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					base, _ := url.Parse(page)
					for _, ref := range hrefs(body) {
						if u, err := base.Parse(ref); err == nil && hosts[u.Host] {
							u.Fragment = ""
							links = append(links, u.String())
						}
					}
				}
				mu.Lock()
				fetched++
				busy--
				for _, l := range links {
					add(l)
				}
				more.Broadcast()
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return fetched
}

// hrefs returns what stands behind href= in a page, quoted or not.
func hrefs(page []byte) []string {
	var refs []string
	for {
		at := bytes.IndexByte(page, '=')
		if at < 0 || at+1 == len(page) {
			return refs
		}
		named := at >= 4 && bytes.EqualFold(page[at-4:at], []byte("href"))
		after := page[at+1:]
		if page = after; !named {
			continue
		}
		end := bytes.IndexAny(after, " >")
		if q := after[0]; q == '"' || q == '\'' {
			page = after[1:]
			end = bytes.IndexByte(page, q)
		}
		if end < 0 {
			return refs
		}
		refs = append(refs, html.UnescapeString(string(page[:end])))
	}
}

// collyQueue is what a user of colly writes after its documentation: its queue
// with 64 consumers, its robots.txt, its visited set, links by OnHTML. With own
// the program keeps a set of what it has queued, so that colly need not look at
// each of the million links to pages that it has visited.
func collyQueue(b *testing.B, seeds []string, own bool) int {
	var domains []string
	for _, s := range seeds {
		u, err := url.Parse(s)
		if err != nil {
			b.Fatal(err)
		}
		domains = append(domains, u.Hostname())
	}
	c := colly.NewCollector(colly.AllowedDomains(domains...))
	c.IgnoreRobotsTxt = false
	c.WithTransport(&http.Transport{MaxIdleConnsPerHost: 64})
	q, err := queue.New(64, &queue.InMemoryQueueStorage{MaxSize: 100_000_000})
	if err != nil {
		b.Fatal(err)
	}
	var mu sync.Mutex
	fetched := 0
	queued := make(map[string]bool)
	c.OnResponse(func(*colly.Response) {
		mu.Lock()
		fetched++
		mu.Unlock()
	})
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		to := e.Request.AbsoluteURL(e.Attr("href"))
		if own {
			mu.Lock()
			known := queued[to]
			queued[to] = true
			mu.Unlock()
			if known {
				return
			}
		}
		q.AddURL(to)
	})
	for _, s := range seeds {
		queued[s] = true
		q.AddURL(s)
	}
	if err := q.Run(c); err != nil {
		b.Fatal(err)
	}
	return fetched
}

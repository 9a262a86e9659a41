package testserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"

	"gatecrawl.example/gatecrawl/testserver/score"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// quick returns the options of the demo without delays.
func quick() Options {
	o := Demo()
	o.SlowDelay, o.CrawlDelay = 0, 0
	return o
}

func start(t testing.TB, w *Web) {
	t.Helper()
	if err := w.Start(context.Background()); err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
}

// unstarted are webs that tests only read, made once, with their truths.
var unstarted = struct {
	sync.Mutex
	webs map[Options]func() (*Web, score.Truth)
}{webs: make(map[Options]func() (*Web, score.Truth))}

// shared is a web that is neither started nor changed, and its truth.
func shared(t testing.TB, o Options) (*Web, score.Truth) {
	unstarted.Lock()
	one := unstarted.webs[o]
	if one == nil {
		one = sync.OnceValues(func() (*Web, score.Truth) {
			w := made(t, o)
			return w, w.Truth()
		})
		unstarted.webs[o] = one
	}
	unstarted.Unlock()
	return one()
}

func made(t testing.TB, o Options) *Web {
	t.Helper()
	w, err := New(o)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return w
}

// hrefs returns the links of a page: what is between quotation marks behind href= in any case. A
// regular expression took as long for that as making the pages.
func hrefs(page string) []string {
	var all []string
	for {
		name, rest, ok := strings.Cut(page, `="`)
		if !ok {
			return all
		}
		page = rest
		if len(name) < 4 || !strings.EqualFold(name[len(name)-4:], "href") {
			continue
		}
		if href, behind, ok := strings.Cut(rest, `"`); ok {
			all, page = append(all, href), behind
		}
	}
}

// A walker is the simplest crawler: breadth first, without redirects.
type walker struct {
	client *http.Client
	got    map[string]walked
}

type walked struct {
	status int
	body   []byte
	target string
}

func newWalker(t testing.TB) *walker {
	tr := &http.Transport{MaxIdleConnsPerHost: 8}
	t.Cleanup(tr.CloseIdleConnections)
	return &walker{got: map[string]walked{}, client: &http.Client{Transport: tr,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (c *walker) fetch(t testing.TB, u string) walked {
	t.Helper()
	res, err := c.client.Get(u)
	if err != nil {
		t.Fatalf("Get(%q): %v", u, err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("reading %q: %v", u, err)
	}
	_ = res.Body.Close()
	g := walked{status: res.StatusCode, body: body}
	if l := res.Header.Get("Location"); l != "" {
		g.target = resolve(t, u, l)
	}
	return g
}

func resolve(t testing.TB, base, href string) string {
	t.Helper()
	b, err := url.Parse(base)
	if err != nil {
		t.Fatalf("url.Parse(%q): %v", base, err)
	}
	u, err := b.Parse(href)
	if err != nil {
		t.Fatalf("%q has a link %q: %v", base, href, err)
	}
	u.Fragment = ""
	return u.String()
}

// walk fetches all that the seeds lead to, except where skip says no.
func (c *walker) walk(t testing.TB, seeds []string, skip func(u string) bool) {
	t.Helper()
	queue := slices.Clone(seeds)
	known := map[string]bool{}
	for _, u := range queue {
		known[u] = true
	}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		if skip(u) {
			c.got[u] = walked{}
			continue
		}
		g := c.fetch(t, u)
		c.got[u] = g
		next := []string{}
		if g.target != "" {
			next = append(next, g.target)
		}
		for _, href := range hrefs(string(g.body)) {
			if href = html.UnescapeString(href); !strings.HasPrefix(href, "#") {
				next = append(next, resolve(t, u, href))
			}
		}
		for _, n := range next {
			if !known[n] {
				known[n] = true
				queue = append(queue, n)
			}
		}
	}
}

// forbidden reports whether a URL is disallowed by a robots.txt, or outside the truth's part
// of the calendar.
func forbidden(truth score.Truth) func(string) bool {
	trap := map[string]bool{}
	for _, p := range truth.Pages {
		if p.Kind == score.KindTrap {
			trap[p.URL] = true
		}
	}
	month := regexp.MustCompile(`/calendar/\d{4}/\d\d$`)
	return func(u string) bool {
		switch {
		case strings.Contains(u, "/mirror/"): // paths there are not the robots.txt's
			return false
		case strings.Contains(u, "/private/") && !strings.Contains(u, "/private/open/"), strings.Contains(u, "?print="):
			return true
		}
		return month.MatchString(u) && !trap[u]
	}
}

func TestTheTruthListsThePagesThatACrawlFinds(t *testing.T) {
	t.Parallel()
	webs := []Options{quick(), oneHost(), twins()}
	if slow.Wanted() {
		webs = append(webs, withSeed(quick(), 7), Bench(3, 40))
	}
	for _, o := range webs {
		t.Run(fmt.Sprintf("%d hosts, seed %d", o.Hosts, o.Seed), func(t *testing.T) {
			w := made(t, o)
			start(t, w)
			truth := w.Truth()
			c := newWalker(t)
			c.walk(t, w.Seeds(), forbidden(truth))
			byBytes := map[int][]byte{}
			for _, p := range truth.Pages {
				g, ok := c.got[p.URL]
				delete(c.got, p.URL)
				switch {
				case !ok:
					t.Errorf("%s %s: in the truth, not found by walking", p.Kind, p.URL)
				case p.Kind == score.KindForbidden:
					if g.status != 0 {
						t.Errorf("%s: status %d, want it to be forbidden by robots.txt", p.URL, g.status)
					}
				case g.status != p.Status || g.target != p.Target:
					t.Errorf("%s: status %d to %q, truth says %d to %q", p.URL, g.status, g.target, p.Status, p.Target)
				case p.Bytes != 0:
					if want, ok := byBytes[p.Bytes]; ok && !bytes.Equal(g.body, want) {
						t.Errorf("%s: bytes differ from those of its copies", p.URL)
					}
					byBytes[p.Bytes] = g.body
				}
			}
			for u, g := range c.got {
				if g.status != 0 {
					t.Errorf("%s (%d): found by walking, not in the truth", u, g.status)
				}
			}
			seen := map[string]int{}
			for id, b := range byBytes {
				if other, ok := seen[string(b)]; ok {
					t.Errorf("payloads %d and %d are equal and should not be", id, other)
				}
				seen[string(b)] = id
			}
		})
	}
}

func withSeed(o Options, seed uint64) Options {
	o.Seed = seed
	return o
}

func oneHost() Options {
	o := quick()
	o.Hosts, o.Mirrors, o.Partial = 1, 0, 0
	return o
}

// twins are a site with everything on and its whole mirror.
func twins() Options {
	o := quick()
	o.Hosts, o.Mirrors, o.Partial, o.Pages, o.Exact, o.Copies = 2, 1, 0, 60, .55, .6
	return o
}

func TestPagesShowTheTextOfTheTruth(t *testing.T) {
	t.Parallel()
	w := made(t, quick())
	start(t, w)
	c := newWalker(t)
	charsets := map[string]string{}
	for _, s := range w.Sites() {
		charsets[s.Name] = s.Charset
	}
	for _, p := range w.Truth().Pages {
		if p.Group == 0 {
			continue
		}
		want, ok := w.Text(p.URL)
		if !ok || len(want) < 20 {
			t.Fatalf("Text(%q) = %q, %v", p.URL, want, ok)
		}
		body := c.fetch(t, p.URL).body
		// A page carries its original's charset, which the site need not have.
		if bytes.Contains(body, []byte("charset=gbk")) {
			body, _ = simplifiedchinese.GBK.NewDecoder().Bytes(body)
		} else if !bytes.Contains(bytes.ToLower(body), []byte("<meta charset")) {
			body, _ = charmap.Windows1252.NewDecoder().Bytes(body)
		}
		shown := textOf(body)
		for line := range strings.Lines(want) {
			if line = squeeze(line); !strings.Contains(shown, line) {
				t.Errorf("%s (%s): does not show %q", p.URL, charsets[p.Site], line)
				break
			}
		}
	}
}

func squeeze(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { // a non-breaking space stays
		switch r {
		case ' ', '\t', '\r', '\n', '\f':
			return true
		}
		return false
	}), " ")
}

func textOf(page []byte) string {
	var b strings.Builder
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return squeeze(b.String())
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.EndTagToken:
			if name, _ := z.TagName(); string(name) != "a" {
				b.WriteByte(' ')
			}
		}
	}
}

func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	o := quick()
	o.Pages = 45
	a, b, other := made(t, o), made(t, o), made(t, withSeed(o, 2))
	pages, differ := 0, 0
	for i, s := range a.sites {
		for j, p := range s.pages {
			if !p.document() {
				continue
			}
			pages++
			page := a.render(nil, p)
			if !bytes.Equal(page, b.render(nil, b.sites[i].pages[j])) {
				t.Fatalf("%s%s differs between two webs of one seed", s.name, p.path)
			}
			if q := other.sites[i]; j < len(q.pages) && q.pages[j].document() && !bytes.Equal(page, other.render(nil, q.pages[j])) {
				differ++
			}
		}
	}
	if differ < pages*8/10 {
		t.Errorf("with another seed %d of %d pages differ, want nearly all", differ, pages)
	}
}

func TestSitesAnswerOnDistinctAddresses(t *testing.T) {
	w := made(t, quick())
	start(t, w)
	hosts := map[string]bool{}
	for _, s := range w.Sites() {
		u, err := url.Parse(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(u.Host, "127.") || hosts[u.Host] {
			t.Errorf("site %s at %s, want an address of its own on loopback", s.Name, u.Host)
		}
		hosts[u.Host] = true
	}
}

func TestStartRefusesASecondTime(t *testing.T) {
	w := made(t, oneHost())
	start(t, w)
	if err := w.Start(context.Background()); err == nil {
		t.Error("second Start succeeded")
	}
}

func TestACancelledContextStopsTheWeb(t *testing.T) {
	w := made(t, oneHost())
	ctx, cancel := context.WithCancel(context.Background())
	if err := w.Start(ctx); err != nil {
		t.Fatal(err)
	}
	seed := w.Seeds()[0]
	cancel()
	w.served.Wait()
	if _, err := http.Get(seed); err == nil {
		t.Errorf("Get(%q) still answers", seed)
	}
	if err := w.Close(); err != nil {
		t.Errorf("Close after cancel: %v", err)
	}
}

func TestValidateReportsEveryFault(t *testing.T) {
	o := Demo()
	o.Pages, o.PageBytes, o.Exact, o.Copies, o.Port = 1, 1, .5, .1, -1
	_, err := New(o)
	if err == nil {
		t.Fatal("New accepted faulty options")
	}
	for _, want := range []string{"pages is 1", "page bytes is 1", "copies is 0.1", "port is -1"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("New: %v; does not say %q", err, want)
		}
	}
	for _, o := range []Options{{}, Defaults(), Demo(), Bench(16, 2000), Bench(1, 20)} {
		if err := o.Validate(); err != nil {
			t.Errorf("Validate(%+v): %v", o, err)
		}
	}
}

func BenchmarkServe30kB(b *testing.B) {
	w := made(b, Bench(16, 200))
	var pages []*page
	for _, s := range w.sites {
		for _, p := range s.pages {
			if p.kind == score.KindPage {
				pages = append(pages, p)
			}
		}
	}
	var buf []byte
	size := 0
	for i := 0; b.Loop(); i++ {
		buf = w.render(buf[:0], pages[i%len(pages)])
		size += len(buf)
	}
	b.ReportMetric(float64(size)/float64(b.N), "bytes/page")
}

// BenchmarkGet30kB includes the client and the connection.
func BenchmarkGet30kB(b *testing.B) {
	w := made(b, Bench(16, 200))
	start(b, w)
	c := newWalker(b)
	var urls []string
	for _, p := range w.Truth().Pages {
		if p.Kind == score.KindPage {
			urls = append(urls, p.URL)
		}
	}
	for i := 0; b.Loop(); i++ {
		c.fetch(b, urls[i*17%len(urls)])
	}
}

func BenchmarkNew16x2000(b *testing.B) {
	for b.Loop() {
		made(b, Bench(16, 2000))
	}
}

func BenchmarkTruth16x2000(b *testing.B) {
	w := made(b, Bench(16, 2000))
	for b.Loop() {
		w.makeTruth()
	}
}

package live_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/control/guard"
	"gatecrawl.example/gatecrawl/control/live"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/store/suite"
)

// evil is what a page says to become markup elsewhere.
const evil = `</title><script>window.pwned=1</script>"><img src=x onerror="window.pwned=1">`

// hostile is a site whose titles, addresses, rules and links are markup.
func hostile(t *testing.T) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			io.WriteString(w, "User-agent: *\nDisallow: /closed<script>window.pwned=1</script>\n")
		case r.URL.Path == "/gone":
			http.NotFound(w, r)
		case r.URL.Path == "/away":
			w.Header().Set("Location", "/x?<script>window.pwned=1</script>")
			w.WriteHeader(http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<title>&lt;/title&gt;&lt;script&gt;window.pwned=1&lt;/script&gt;&quot;&gt;&lt;img src=x onerror=&quot;window.pwned=1&quot;&gt; \u202e %s</title>", r.URL.Path[:2-min(1, len(r.URL.Path)%2)])
			io.WriteString(w, `<p>A page of words that are the same on each address of this site.</p>
<a href="/a?x=%22%3E%3Cscript%3Ewindow.pwned=1%3C/script%3E">&lt;script&gt;window.pwned=1&lt;/script&gt;</a> <a href="/b">b</a> <a href="/gone">gone</a> <a href="/away">away</a>
<a href="/closed<script>window.pwned=1</script>">closed</a> <a href="javascript:window.pwned=1">js</a>`)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

// A served is the page of a crawl that has ended, and that can be steered still.
type served struct {
	*httptest.Server
	crawl *crawl.Crawl
	guard *guard.Guard
	site  string // that was crawled
}

func serve(t *testing.T, running bool) *served {
	t.Helper()
	return serveWith(t, running, gatecrawl.Done, func(*configs.Settings) {})
}

// serveWith is serve of a crawl with other settings, which ends so.
func serveWith(t *testing.T, running bool, end gatecrawl.Ended, set func(*configs.Settings)) *served {
	t.Helper()
	s := opened(t, running, set)
	if ended, err := s.crawl.Run(t.Context()); ended != end || err != nil {
		t.Fatalf("the crawl ended with %q, %v", ended, err)
	}
	return s
}

// opened is serveWith of a crawl that has not run.
func opened(t *testing.T, running bool, set func(*configs.Settings)) *served {
	t.Helper()
	site := hostile(t)
	s := configs.Default()
	s.URL, s.Delay = []string{site.URL + "/"}, 0
	set(&s)
	c, err := crawl.Open(t.TempDir(), s)
	if err != nil {
		t.Fatal(err)
	}
	r := &control.Running{Crawl: c, Board: board.New(), Seeds: func(ctx context.Context, list io.Reader, name string) (came control.AddedSeeds, err error) {
		came.Added, err = c.AddSeeds(ctx, list, name, came.Fault)
		return came, err
	}}
	c.OnRecord(r.Board.Settled)
	g, err := guard.New("127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	if !running {
		r = nil
	}
	page := live.New(c.Job(), r, g.FormToken(), stop)
	srv := httptest.NewServer(g.Wrap(page.Handler()))
	t.Cleanup(func() {
		close(stop)
		srv.Close()
		page.Wait()
		suite.Verify(t, c.Job())
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return &served{srv, c, g, site.URL}
}

func (s *served) get(t *testing.T, path string) (int, string) {
	t.Helper()
	resp, err := http.Get(s.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// paths are all pages.
func (s *served) paths() []string {
	return []string{
		"/", "/pages", "/pages?verdict=copy", "/pages?verdict=failed&reason=http+404+not+found", "/pages?rule=robots", "/refused", "/refused?rule=exclude", "/refused?rule=" + url.QueryEscape(evil), "/pages?from=3",
		"/pages?host=" + url.QueryEscape(evil), "/hosts", "/hosts?by=parked", "/queue", "/dups", "/mirrors", "/why",
		"/why?url=" + url.QueryEscape(s.site+"/"), "/why?url=" + url.QueryEscape(s.site+"/away"),
		"/why?url=" + url.QueryEscape(s.site+"/a?x=%22%3E%3Cscript%3Ewindow.pwned=1%3C/script%3E"),
		"/?said=pause",
	}
}

func TestEveryPageIsThereWithACrawlAndWithout(t *testing.T) {
	for _, running := range []bool{true, false} {
		s := serve(t, running)
		for _, path := range s.paths() {
			if code, text := s.get(t, path); code != http.StatusOK || !strings.Contains(text, "</html>") {
				t.Errorf("running %v: %s: %d, %d bytes", running, path, code, len(text))
			}
		}
		for path, want := range map[string]int{"/nowhere": 404, "/pages?from=x": 400, "/pages?verdict=nice": 400, "/pages?level=9": 400, "/refused?from=x": 400, "/pages?class=full": 400, "/queue?depth=x": 400, "/queue?score=x": 400, "/queue?from=x": 400, "/hosts?by=luck": 400, "/why?url=http://unheard.example/": 404, "/why?url=%3A": 400} {
			if code, _ := s.get(t, path); code != want {
				t.Errorf("running %v: %s: %d, want %d", running, path, code, want)
			}
		}
		if _, text := s.get(t, "/"); strings.Contains(text, "<button") != running {
			t.Errorf("running %v: there are buttons: %v", running, !running)
		}
	}
}

func TestNothingThatAPageSaidIsMarkup(t *testing.T) {
	s := serve(t, true)
	met := false
	for _, path := range append(s.paths(), "/why?url="+url.QueryEscape(evil), "/?said="+url.QueryEscape(evil), "/hosts?by="+url.QueryEscape(evil)) {
		_, text := s.get(t, path)
		for _, bad := range []string{"<script>window", "<img", "onerror=\"window", "href=\"javascript:", "\u202e"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q", path, bad)
			}
		}
		met = met || strings.Contains(text, "&lt;script&gt;window.pwned=1")
	}
	if _, text := s.get(t, "/?said=The+job+is+lost"); strings.Contains(text, "The job is lost") {
		t.Error("a link makes the page say what it likes")
	}
	if !met {
		t.Error("no page shows a hostile title as text: this test proves nothing")
	}
}

func TestANumberLeadsToItsPages(t *testing.T) {
	s := serve(t, true)
	_, front := s.get(t, "/")
	totals := s.crawl.Totals()
	for verdict, n := range map[string]int64{"new": totals.New, "copy": totals.Copies, "refused": totals.Refused, "failed": totals.Failed} {
		if link := fmt.Sprintf(`<a href="/pages?verdict=%s">%d</a>`, verdict, n); !strings.Contains(front, link) {
			t.Errorf("the first page lacks %s", link)
		}
		_, list := s.get(t, "/pages?verdict="+verdict)
		if got := int64(strings.Count(list, "<tr><td class=\"n\">")); got != n || n == 0 {
			t.Errorf("%d pages of verdict %s are listed, want %d", got, verdict, n)
		}
	}
}

// Each number with a link, of the tiles and the tables, is that of the rows where it leads.
func TestEachNumberIsThatOfTheRowsWhereItLeads(t *testing.T) {
	s := serveWith(t, true, gatecrawl.PageLimit, func(c *configs.Settings) { c.MaxPages, c.Exclude = 4, []string{"/b$"} })
	links := regexp.MustCompile(`<a href="(/(?:pages|hosts|queue)[^"]*)">([0-9,]+)</a>`)
	ranked := regexp.MustCompile(`<tr><td><a href="(/(?:pages|refused)[^"]*)">[^<]*</a></td><td class="n">([0-9,]+)</td></tr>`)
	looked := 0
	_, front := s.get(t, "/")
	_, queue := s.get(t, "/queue")
	for _, m := range append(links.FindAllStringSubmatch(front+queue, -1), ranked.FindAllStringSubmatch(front, -1)...) {
		path := html.UnescapeString(m[1])
		_, text := s.get(t, path)
		rows := strings.Count(text, "<tr><td")
		if strings.HasPrefix(path, "/queue") {
			_, list, _ := strings.Cut(text, `aria-label="URLs of the queue"`)
			rows = strings.Count(list, "<tr><td")
		}
		if fmt.Sprint(rows) != m[2] {
			t.Errorf("%s is said to have %s, and has %d", path, m[2], rows)
		}
		if rows > 0 {
			looked++
		}
	}
	if looked < 8 {
		t.Errorf("%d numbers lead to something: this test proves little", looked)
	}
	for _, want := range []string{`/hosts?by=fetched">1<`, `/pages?verdict=copy&amp;class=full-`, `/refused?rule=exclude">`} {
		if !strings.Contains(front, want) {
			t.Errorf("the first page lacks %s", want)
		}
	}
}

func TestButtonsChangeTheCrawl(t *testing.T) {
	s := serve(t, true)
	press := func(fields ...string) (int, string) {
		t.Helper()
		form := url.Values{guard.FormField: {s.guard.FormToken()}}
		for i := 0; i < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		resp, err := http.PostForm(s.URL+"/steer", form)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	host := strings.TrimPrefix(s.site, "http://")
	for _, c := range []struct {
		fields []string
		want   string
		so     func() bool
	}{
		{[]string{"do", "pause"}, "The crawl is paused", func() bool { return s.crawl.Controls().Paused }},
		{[]string{"do", "pause"}, "Paused</span>\nNothing is fetched until it is resumed. Running for ", func() bool { return s.crawl.Controls().Paused }},
		{[]string{"do", "resume"}, "goes on", func() bool { return !s.crawl.Controls().Paused }},
		{[]string{"do", "slower"}, "slower now", func() bool { return s.crawl.Controls().Delay == 50*time.Millisecond }},
		{[]string{"do", "slower"}, "slower now", func() bool { return s.crawl.Controls().Delay == 100*time.Millisecond }},
		{[]string{"do", "faster"}, "faster now", func() bool { return s.crawl.Controls().Delay == 50*time.Millisecond }},
		{[]string{"do", "faster"}, "faster now", func() bool { return s.crawl.Controls().Delay == 0 }},
		{[]string{"do", "delay", "delay", "3s"}, "delay is changed", func() bool { return s.crawl.Controls().Delay == 3*time.Second }},
		{[]string{"do", "workers", "workers", "3"}, "number of workers", func() bool { return s.crawl.Controls().Workers == 3 }},
		{[]string{"do", "exclude", "pattern", "/login"}, "excluded from now on", func() bool { return s.crawl.Controls().Exclude[0] == "/login" }},
		{[]string{"do", "park", "host", host, "for", "2h", "back", "hosts"}, "The host is parked", func() bool { return s.crawl.Totals().ParkedHosts == 1 }},
		{[]string{"do", "unpark", "host", s.site + "/a"}, "crawled again", func() bool { return s.crawl.Totals().ParkedHosts == 0 }},
		{[]string{"do", "seeds", "urls", s.site + "/more\n"}, "are queued", func() bool { return s.crawl.Totals().Queued == 1 }},
		{[]string{"do", "stop"}, "stops once", func() bool { return true }},
	} {
		if code, text := press(c.fields...); code != http.StatusOK || !strings.Contains(text, c.want) || !c.so() {
			t.Errorf("%v: %d, done %v; the page says %q: %v", c.fields, code, c.so(), c.want, strings.Contains(text, c.want))
		}
	}
	for _, c := range [][]string{
		{"do", "dance"}, {"do", "delay", "delay", "soon"}, {"do", "delay", "delay", "-1s"}, {"do", "workers", "workers", "many"}, {"do", "workers", "workers", "0"}, {"do", "workers", "workers", "8abc"}, {"do", "seeds", "urls", " "},
		{"do", "exclude", "pattern", "("}, {"do", "exclude", "pattern", ""}, {"do", "park", "host", "unheard.example", "for", "1h"}, {"do", "park", "host", host, "for", "long"},
		{"do", "seeds", "urls", "no address at all"}, {"do", "seeds", "urls", s.site + "/more"},
	} {
		if code, text := press(c...); code != http.StatusBadRequest || !strings.Contains(text, "did not work") {
			t.Errorf("%v: %d, want it refused with a reason", c, code)
		}
	}
	if code, _ := press("do", "delay", "delay", "0s"); code != http.StatusOK {
		t.Errorf("no delay: %d", code)
	}
	if code, text := press("do", "faster"); code != http.StatusBadRequest || !strings.Contains(text, "no delay that could be shorter") {
		t.Errorf("faster than without a delay: %d", code)
	}
	if _, text := press("do", "seeds", "urls", s.site+"/one-more\nno address at all"); !strings.Contains(text, "1 added; 1 line is not a URL to fetch: ") {
		t.Errorf("a line of two that is no URL: the page lacks that, and has\n%s", text)
	}
	still := serve(t, false)
	if resp, err := http.PostForm(still.URL+"/steer", url.Values{guard.FormField: {still.guard.FormToken()}, "do": {"pause"}}); err != nil || resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a button where no crawl runs: %v, %v", resp.Status, err)
	}
}

func TestPartsOfThePageComeAsEvents(t *testing.T) {
	s := serve(t, true)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	line, err := bufio.NewReader(resp.Body).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var parts map[string]string
	if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &parts); err != nil {
		t.Fatal(err)
	}
	_, front := s.get(t, "/")
	for name, text := range parts {
		if !strings.Contains(front, `data-part="`+name+`"`) || strings.Contains(text, "<script") {
			t.Errorf("the part %s is no part of the page, or has a script: %q", name, text)
		}
	}
	if len(parts) != 6 || !strings.Contains(parts["tiles"], "pages?verdict=new") {
		t.Errorf("%d parts, tiles %q", len(parts), parts["tiles"])
	}
}

func Example() {
	g, err := guard.New("127.0.0.1:8900", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	// With c, a crawl that is open, and r, its control.Running:
	show := func(c *crawl.Crawl, r *control.Running, stop <-chan struct{}) http.Handler {
		return g.Wrap(live.New(c.Job(), r, g.FormToken(), stop).Handler())
	}
	fmt.Println(show != nil)
	// Output:
	// true
}

// What a focused crawl brings is on the first page, with what its model was made of and when the crawl ends.
func TestTheFirstPageOfAFocusedCrawlShowsItsTopic(t *testing.T) {
	s := serveWith(t, true, gatecrawl.PageLimit, func(s *configs.Settings) {
		s.Topic, s.StopTail, s.MaxPages, s.Workers = "words <b>of</b> this site", .2, 1, 1
	})
	_, text := s.get(t, "/")
	for _, want := range []string{
		"Harvest of “words &lt;b&gt;of&lt;/b&gt; this site”", "best score in the queue", "<dd>0.50</dd>", "next try at 25 kept", "<dd>20% <small>of the best 100; now 100%</small></dd>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the first page lacks %q", want)
		}
	}
	// The numbers lead to the pages on the topic, those of a host to its own.
	on := s.crawl.Totals().Harvest.OnTopic
	_, hosts := s.get(t, "/hosts?by=harvest")
	for _, link := range regexp.MustCompile(`<a href="(/pages[?][^"]*relevance=[^"]*)"[^>]*>`).FindAllStringSubmatch(text+hosts, -1) {
		path := html.UnescapeString(link[1])
		if _, list := s.get(t, path); int64(strings.Count(list, "<tr><td")) != on || on == 0 || !strings.Contains(list, "relevance 0.5 or more") {
			t.Errorf("%s lists %d pages, want the %d on the topic", path, strings.Count(list, "<tr><td"), on)
		}
	}
	ofHost := "/pages?verdict=new&amp;host=" + strings.ToLower(url.QueryEscape(strings.TrimPrefix(s.site, "http://"))) + "&amp;relevance=0.5"
	for name, on := range map[string]bool{
		"the number of pages":      strings.Contains(text, fmt.Sprintf(`<a href="/pages?verdict=new&amp;relevance=0.5">%d</a> of`, on)),
		"a host on the first page": strings.Contains(text, ofHost), "a host in the list": strings.Contains(hosts, ofHost),
	} {
		if !on {
			t.Errorf("%s does not lead to pages on the topic", name)
		}
	}
	if strings.Contains(text, "%!") {
		t.Errorf("a number is written in a wrong way: %s", text[strings.Index(text, "%!"):][:40])
	}
}

package live

import (
	"context"
	"errors"
	"fmt"
	"html"
	"html/template"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/limit"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
)

func TestWhatTakesLongIsMadeSeldom(t *testing.T) {
	for _, c := range []struct {
		seldom     bool
		takes      time.Duration
		want       int // times that it is made in an hour, where somebody looks each second
		costsUnder time.Duration
	}{
		{true, 10 * time.Millisecond, 60, time.Second},
		{true, 8 * time.Second, 5, 41 * time.Second},
		{false, 10 * time.Millisecond, 60, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			made := 0
			v := cached[int]{keep: time.Minute, seldom: c.seldom}
			for start := time.Now(); time.Since(start) < time.Hour; time.Sleep(time.Second) {
				if got, err := v.get(func() (int, error) { time.Sleep(c.takes); made++; return made, nil }); err != nil || got != made {
					t.Fatalf("get = %d, %v; want %d", got, err, made)
				}
			}
			if cost := time.Duration(made) * c.takes; made < c.want-1 || made > c.want || cost > c.costsUnder {
				t.Errorf("%v, seldom %v: made %d times in an hour, want %d", c.takes, c.seldom, made, c.want)
			}
		})
	}
}

// What takes long is made next to those who look, who get the last one and wait a moment.
func TestWhatIsMadeLaterKeepsNobodyWaiting(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		want  int // times that it is made in an hour, where somebody looks each second
		first int // of these looks the first that has a value
	}{{10 * time.Millisecond, 60, 0}, {8200 * time.Millisecond, 5, 6}} {
		synctest.Test(t, func(t *testing.T) {
			count, first := 0, -1
			l := later[int]{keep: time.Minute, wait: 500 * time.Millisecond}
			start := time.Now()
			for looks := 0; time.Since(start) < time.Hour; looks++ {
				asked := time.Now()
				m := l.get(func(context.Context) (int, error) { time.Sleep(c.takes); count++; return count, nil })
				if took := time.Since(asked); took > l.wait {
					t.Fatalf("get took %v", took)
				}
				if m.at.IsZero() != (m.value == 0) {
					t.Fatalf("get = %+v", m)
				}
				if first < 0 && m.value > 0 {
					first = looks
				}
				time.Sleep(time.Second)
			}
			l.busy.Wait()
			if count < c.want-1 || count > c.want || first != c.first {
				t.Errorf("%v: made %d times in an hour, want %d; there from look %d on, want %d", c.takes, count, c.want, first, c.first)
			}
		})
	}
}

// A fault is told, and the next who asks has another try.
func TestWhatCouldNotBeMadeIsTriedAgain(t *testing.T) {
	l := later[int]{keep: time.Minute, wait: time.Minute}
	if m := l.get(func(context.Context) (int, error) { return 0, errors.New("fault") }); m.err == nil || !m.at.IsZero() {
		t.Errorf("get of what fails = %+v", m)
	}
	if m := l.get(func(context.Context) (int, error) { return 1, nil }); m.err != nil || m.value != 1 {
		t.Errorf("the next get = %+v", m)
	}
}

// slowJob counts how often its status is asked for, which takes a while.
type slowJob struct {
	gatecrawl.Inspector
	takes time.Duration
	asked int
}

func (j *slowJob) Status(context.Context) (gatecrawl.Status, error) {
	time.Sleep(j.takes) // of synctest's clock
	j.asked++
	return gatecrawl.Status{Job: "job"}, nil
}

func TestThoseWhoLookCostNoMoreThanAHundredth(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		want  int // times in 60 s, where two look each 100 ms
	}{{time.Millisecond, 67}, {20 * time.Millisecond, 30}, {200 * time.Millisecond, 3}} {
		synctest.Test(t, func(t *testing.T) {
			job := &slowJob{takes: c.takes}
			site := New(job, nil, "", nil).Handler()
			for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(100 * time.Millisecond) {
				for range 2 {
					w := httptest.NewRecorder()
					if site.ServeHTTP(w, httptest.NewRequest("GET", "/", nil)); w.Code != http.StatusOK {
						t.Fatalf("GET / is answered %d", w.Code)
					}
				}
			}
			if job.asked > c.want || job.asked < c.want/2 {
				t.Errorf("of a status that takes %v %d are asked for in a minute, want %d", c.takes, job.asked, c.want)
			}
		})
	}
}

// A page cannot push others out of a list by a long title or URL.
func TestALongTitleIsCutInAList(t *testing.T) {
	pages := template.Must(template.New("").Funcs(functions).Parse(pagesText))
	var b strings.Builder
	url := "http://a.example/?q=" + strings.Repeat("y", 5000)
	l := pageList{Found: gatecrawl.Found{Records: []page.Record{{Seq: 1, URL: url, Title: strings.Repeat("é", 8000), Verdict: page.VerdictNew}}}}
	if err := pages.ExecuteTemplate(&b, "list", view{Data: l}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "é"); n != maxShown {
		t.Errorf("%d characters of a title are shown, want %d", n, maxShown)
	}
	if n := strings.Count(b.String(), "y") - 5000; n > 400 {
		t.Errorf("%d characters of a URL are shown beside its link", n)
	}
}

func TestOneOfAThingIsNotPlural(t *testing.T) {
	pages := template.Must(template.New("").Funcs(functions).Parse(pagesText))
	var b strings.Builder
	groups := []gatecrawl.Group{{URL: "http://a.example/", Degree: 1, Copies: []gatecrawl.Member{{URL: "http://b.example/"}}}}
	if err := pages.ExecuteTemplate(&b, "dups", view{Data: groupList{Groups: groups}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "<p>1 copy, 1 other domain</p>") {
		t.Errorf("a page with a copy is shown so:\n%s", b.String())
	}
}

// listsJob has so many kept pages with copies, at every other place of the crawl, as many hosts,
// and as many pairs of sites.
type listsJob struct {
	gatecrawl.Inspector
	n int
}

func (j listsJob) Status(context.Context) (gatecrawl.Status, error) { return gatecrawl.Status{}, nil }

func (j listsJob) Groups(_ context.Context, q gatecrawl.GroupQuery, fn func(gatecrawl.Group) error) error {
	told := 0
	for seq := uint64(2); seq <= 2*uint64(j.n) && told < q.Limit; seq += 2 {
		if seq < q.From {
			continue
		}
		told++
		if err := fn(gatecrawl.Group{URL: fmt.Sprintf("http://a.example/%d", seq), Seq: seq, Copies: make([]gatecrawl.Member, q.Copies), More: 7}); err != nil {
			return err
		}
	}
	return nil
}

func (j listsJob) Hosts(_ context.Context, q gatecrawl.HostQuery) (hs []gatecrawl.HostState, err error) {
	for i := q.Skip; i < min(j.n, q.Skip+q.Limit); i++ {
		hs = append(hs, gatecrawl.HostState{Name: fmt.Sprintf("host%d.example", i), Queued: 1})
	}
	return hs, nil
}

func (j listsJob) Pairs(context.Context) (ps []mirror.Pair, err error) {
	for i := range j.n {
		ps = append(ps, mirror.Pair{A: fmt.Sprintf("a%d.example", i), B: fmt.Sprintf("b%d.example", i), Shared: 1, Overlap: .5})
	}
	return ps, nil
}

// All rows of a list can be reached by turning its pages, and none is shown twice.
func TestListsGoOn(t *testing.T) {
	for _, c := range []struct {
		path, row string
		pages     int
	}{
		{"/dups", `<h2><a class="url" href="([^"]+)`, 5},
		{"/hosts?by=fetched", `<tr><td><a href="/pages\?host=([^"]+)`, 3},
		{"/mirrors", `<tr><td><a href="/pages\?host=(a\d+)`, 3},
	} {
		const rows = 240
		site := New(listsJob{n: rows}, nil, "", nil)
		h := site.Handler()
		next, row := regexp.MustCompile(`class="more" href="([^"]+)"`), regexp.MustCompile(c.row)
		shown := make(map[string]bool)
		pages := 0
		for path := c.path; path != "" && pages < 10; pages++ {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			text := w.Body.String()
			for _, m := range row.FindAllStringSubmatch(text, -1) {
				if shown[m[1]] {
					t.Errorf("%s: %s is shown twice", path, m[1])
				}
				shown[m[1]] = true
			}
			if n := strings.Count(text, "27 copies"); n != strings.Count(text, "<h2><a") {
				t.Errorf("%s: the number of copies is told of %d groups", path, n)
			}
			path = ""
			if m := next.FindStringSubmatch(text); m != nil {
				path = html.UnescapeString(m[1])
			}
		}
		if len(shown) != rows || pages != c.pages {
			t.Errorf("%s: %d rows on %d pages, want %d on %d", c.path, len(shown), pages, rows, c.pages)
		}
		list, _, _ := strings.Cut(c.path, "?")
		for query, want := range map[string]int{"?from=x": http.StatusBadRequest, "?from=1000": http.StatusOK, "?from=": http.StatusOK, "?from=18446744073709551615": 0} {
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, httptest.NewRequest("GET", list+query, nil)); want > 0 && w.Code != want || w.Code >= 500 {
				t.Errorf("GET %s%s is answered %d, want %d", list, query, w.Code, want)
			}
		}
		site.Wait()
	}
}

// A slowMirrors compares its sites for so long.
type slowMirrors struct {
	listsJob
	work time.Duration
}

func (j slowMirrors) Pairs(ctx context.Context) ([]mirror.Pair, error) {
	for range j.work / (10 * time.Millisecond) {
		time.Sleep(10 * time.Millisecond) // of synctest's clock
		if err := limit.Rest(ctx); err != nil {
			return nil, err
		}
	}
	return j.listsJob.Pairs(ctx)
}

// Beside a crawl the sites are compared for a hundredth of the processors' time, and the page says so.
func TestComparingSitesLeavesTheCrawlItsProcessors(t *testing.T) {
	const work = 10 * time.Second
	slowly := time.Duration(float64(work) / (pacedShare * float64(runtime.GOMAXPROCS(0))))
	for _, c := range []struct {
		running bool
		least   time.Duration
		says    string
	}{{true, slowly - time.Minute, "at most 1% of the processors"}, {false, work, "some seconds"}} {
		synctest.Test(t, func(t *testing.T) {
			var running *control.Running
			if c.running {
				running = &control.Running{Crawl: still{}, Board: board.New()}
			}
			site := New(slowMirrors{listsJob{n: 1}, work}, running, "", nil)
			start := time.Now()
			for {
				w := httptest.NewRecorder()
				site.mirrored(w, httptest.NewRequest("GET", "/mirrors", nil))
				if strings.Contains(w.Body.String(), "a0") {
					break
				}
				if !strings.Contains(w.Body.String(), "for the first time, since 2000-01-01") || !strings.Contains(w.Body.String(), c.says) {
					t.Fatalf("/mirrors does not say that sites are compared, and how:\n%s", w.Body)
				}
				time.Sleep(time.Second)
			}
			if took := time.Since(start); took < c.least || took > slowly+time.Minute {
				t.Errorf("running %v: %v of comparing took %v, want %v", c.running, work, took, c.least)
			}
			site.Wait()
		})
	}
}

// A still crawl is not paused.
type still struct{ control.Crawl }

func (still) Controls() gatecrawl.Controls { return gatecrawl.Controls{} }
func (still) Job() gatecrawl.Inspector     { return listsJob{} }
func (still) Totals() page.Totals          { return page.Totals{} }
func (still) Tally() gatecrawl.Tally       { return gatecrawl.Tally{} }

// What is not shown of a page's copies is counted, and can be reached.
func TestCopiesThatAreNotShownAreAClickAway(t *testing.T) {
	h := New(whyJob{listsJob{n: 3}}, nil, "", nil).Handler()
	for path, want := range map[string]string{
		"/why?url=http://a.example/3": `<th scope="row">relevance</th><td>0.80, where 1 is`,
		"/why?url=http://a.example/2": `and 48 more: <a href="/dups?from=2&amp;alone=1">`,
		"/dups":                       `and 7 more: <a href="/dups?from=2&amp;alone=1">`,
		"/dups?from=2&alone=1":        `and 7 more: <a href="/api/v1/dups?from=2&amp;limit=1">`,
	} {
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, httptest.NewRequest("GET", path, nil)); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("GET %s is answered %d without %s:\n%s", path, w.Code, want, w.Body)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/dups?from=2&alone=1", nil))
	if n := strings.Count(w.Body.String(), "<h2>"); n != 1 || !strings.Contains(w.Body.String(), "5,007 copies") {
		t.Errorf("of one group alone %d are shown:\n%.2000s", n, w.Body)
	}
}

type whyJob struct{ listsJob }

func (whyJob) Why(_ context.Context, url string) (gatecrawl.Why, error) {
	return gatecrawl.Why{URL: url, Page: &page.Record{Seq: 2, Verdict: page.VerdictNew, Relevance: .804}, Copies: make([]gatecrawl.Member, 2), More: 48}, nil
}

// A run with the limit that has ended the last one would end at once.
func TestTheFirstPageSaysWhichLimitHasToBeRaised(t *testing.T) {
	for stopped, want := range map[gatecrawl.Ended]string{
		gatecrawl.Done:       "</code> fetches its pages again.</p>",
		gatecrawl.PageLimit:  "</code> goes on, with a higher --max-pages.</p>",
		gatecrawl.TopicTail:  "</code> goes on, with --stop-tail 0.</p>",
		gatecrawl.TopicLimit: "</code> goes on, with a higher --stop-after-relevant.</p>",
	} {
		w := httptest.NewRecorder()
		New(endedJob{listsJob{n: 3}, stopped}, nil, "", nil).Handler().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("of a crawl that ended by %q the first page lacks %q:\n%s", stopped, want, w.Body)
		}
	}
}

type endedJob struct {
	listsJob
	ended gatecrawl.Ended
}

func (j endedJob) Status(context.Context) (gatecrawl.Status, error) {
	return gatecrawl.Status{Job: "birds", Stopped: string(j.ended)}, nil
}

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
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl"
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
			for began := time.Now(); time.Since(began) < time.Hour; time.Sleep(time.Second) {
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

// What takes long is made beside those who look, who get the last one and wait a moment.
func TestWhatIsMadeLaterKeepsNobodyWaiting(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		want  int // times that it is made in an hour, where somebody looks each second
		first int // of these looks the first that has a value
	}{{10 * time.Millisecond, 60, 0}, {8200 * time.Millisecond, 5, 6}} {
		synctest.Test(t, func(t *testing.T) {
			count, first := 0, -1
			l := later[int]{keep: time.Minute, wait: 500 * time.Millisecond}
			began := time.Now()
			for looks := 0; time.Since(began) < time.Hour; looks++ {
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
	time.Sleep(j.takes)
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
			for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(100 * time.Millisecond) {
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
		{"/mirrors", `<tr><td><bdi>(a\d+)`, 3},
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

package report_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/report"
)

// A crawled is a job in memory: its records in crawl order and the bytes of its pages.
type crawled struct {
	pages  []page.Record
	bodies map[string]string
	links  []gatecrawl.Edge
	groups []gatecrawl.Group
	pairs  []mirror.Pair
	hosts  []gatecrawl.HostState
	rules  map[string]int64
}

func (c *crawled) Status(context.Context) (gatecrawl.Status, error) {
	s := gatecrawl.Status{Job: "test", Created: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	s.Pages, s.Rules = int64(len(c.pages)), c.rules
	return s, nil
}

func (c *crawled) Pages(_ context.Context, _ uint64, fn func(page.Record) error) error {
	for _, p := range c.pages {
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}

func (c *crawled) Rows(_ context.Context, _ gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	for _, p := range c.pages {
		r := &gatecrawl.Row{Page: p}
		if b, ok := c.bodies[p.URL]; ok {
			r.Body = []byte(b)
		}
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

func (c *crawled) Groups(_ context.Context, _ gatecrawl.GroupQuery, fn func(gatecrawl.Group) error) error {
	for _, g := range c.groups {
		if err := fn(g); err != nil {
			return err
		}
	}
	return nil
}

func (c *crawled) Pairs(context.Context) ([]mirror.Pair, error) { return c.pairs, nil }

func (c *crawled) LinksTo(_ context.Context, urls []string, fn func(gatecrawl.Edge) error) error {
	asked := make(map[string]bool, len(urls))
	for _, url := range urls {
		asked[url] = true
	}
	for _, e := range c.links {
		if asked[e.To] {
			if err := fn(e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *crawled) Hosts(context.Context, gatecrawl.HostQuery) ([]gatecrawl.HostState, error) {
	return c.hosts, nil
}

func (c *crawled) Waiting(context.Context, gatecrawl.WaitingQuery) (gatecrawl.Waiting, error) {
	return gatecrawl.Waiting{}, nil
}

func (c *crawled) kept(path, lang, title, head string) {
	url := "http://a.example" + path
	c.pages = append(c.pages, page.Record{URL: url, Verdict: page.VerdictNew, Status: 200, Type: "text/html", Lang: lang, Title: title, TookMS: 20})
	c.bodies[url] = "<head>" + head + "</head><body>"
}

func (c *crawled) moved(path, to string) {
	c.pages = append(c.pages, page.Record{URL: "http://a.example" + path, Verdict: page.VerdictRefused, Status: 301, Rule: "redirect", Location: "http://a.example" + to, Reason: "redirects"})
}

func site() *crawled {
	c := &crawled{bodies: make(map[string]string), rules: map[string]int64{"redirect": 6, "exclude": 4}}
	const described = `<meta name="description" content="All about bees">`
	c.kept("/en", "en", "Bees", described+`<link rel=alternate hreflang=de href=/de><link rel=alternate hreflang=fr href=/fr><link rel=alternate hreflang=es href=/gone><link rel=alternate hreflang=en href=/en>`)
	c.kept("/de", "de-CH", "Bienen", described+`<link rel=alternate hreflang=en href=/en>`)
	c.kept("/fr", "en", "Bees", `<link rel="canonical" href="/en"><meta name=description content="">`)
	c.kept("/it", "it", "Api", `<link rel=canonical href=/hop1>`)
	c.kept("/pt", "pt", "=Abelhas()", `<link rel=canonical href=/gone>`)
	c.kept("/nl", "nl", "Bijen", `<link rel=canonical href=/copy>`)
	c.pages = append(c.pages,
		page.Record{URL: "http://a.example/copy", Verdict: page.VerdictCopy, Of: "http://a.example/nl", Status: 200, Type: "text/html", Level: 3},
		page.Record{URL: "http://a.example/gone", Verdict: page.VerdictFailed, Status: 404, Failure: "http 404 not found", Reason: "http 404 not found"},
		page.Record{URL: "http://b.example/away", Verdict: page.VerdictFailed, Failure: "connect", Reason: "connect: refused"},
		page.Record{URL: "http://a.example/soft", Verdict: page.VerdictRefused, Status: 200, Rule: "soft-404", Reason: "an error page with status 200"},
	)
	c.moved("/hop1", "/hop2")
	c.moved("/hop2", "/en")
	c.moved("/one", "/en")
	c.moved("/dead", "/gone")
	c.moved("/loop1", "/loop2")
	c.moved("/loop2", "/loop1")
	for i := range 12 {
		c.links = append(c.links, gatecrawl.Edge{From: fmt.Sprintf("http://a.example/p%d", i), To: "http://a.example/gone", Text: "<b>gone</b>"})
	}
	c.links = append(c.links, gatecrawl.Edge{From: "http://a.example/en", To: "http://a.example/hop1"})
	c.groups = []gatecrawl.Group{{URL: "http://a.example/nl", Copies: []gatecrawl.Member{{URL: "http://a.example/copy", Class: "partial-content", Level: 5, Similarity: .9,
		Differs: &dedup.Difference{Here: []dedup.Passage{{Before: "the", Text: "first", After: "bee"}}}}}}}
	c.pairs = []mirror.Pair{{A: "a.example", B: "m.example", PagesA: 6, PagesB: 3, Relation: &mirror.Relation{
		A: "http://a.example", B: "http://m.example", Class: mirror.Mirror, Canonical: "http://a.example", BA: mirror.Interval{Share: 1, Low: .8, High: 1, N: 9}}}}
	c.hosts = []gatecrawl.HostState{{Name: "b.example", Queued: 7, Failures: 3, Failure: "connect: refused"}, {Name: "a.example"}}
	return c
}

func gather(t *testing.T, c *crawled) *report.Report {
	t.Helper()
	r, err := report.Gather(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAReportTellsWhatIsWrong(t *testing.T) {
	r := gather(t, site())
	var got []string
	tell := func(format string, args ...any) {
		got = append(got, strings.ReplaceAll(fmt.Sprintf(format, args...), "http://a.example", ""))
	}
	for _, b := range r.Broken.Rows {
		tell("broken %s: %s; %d links, %d shown", b.URL, b.Reason, b.Inlinks, len(b.Links))
	}
	for _, c := range r.Redirects.Rows {
		tell("redirects %v loop %t ends %s; %d links", c.URLs, c.Loop, c.End, c.Inlinks)
	}
	for _, s := range append(r.Titles.Rows, r.Descriptions.Rows...) {
		tell("%d pages %q on %v", s.Pages, s.Text, s.URLs)
	}
	for _, c := range append(r.Canonicals.Rows, r.Translations.Rows...) {
		tell("%s says %s %s: %s", c.URL, c.Says, c.Lang, c.Kind)
	}
	for _, m := range r.Mirrors {
		tell("mirrors of %s: %d, confidence %.1f", m.Canonical, len(m.Members), m.Confidence)
	}
	for _, f := range r.Refused {
		tell("refused %s: %d, %d shown", f.Rule, f.URLs, len(f.Examples))
	}
	for _, h := range r.Parked {
		tell("waits %s: %d", h.Name, h.Queued)
	}
	want := []string{
		"broken /gone: http 404 not found; 12 links, 10 shown",
		"broken /soft: an error page with status 200; 0 links, 0 shown",
		"broken http://b.example/away: connect: refused; 0 links, 0 shown",
		"redirects [/hop1 /hop2 /en] loop false ends new; 1 links",
		"redirects [/loop1 /loop2 /loop1] loop true ends refused; 0 links",
		"redirects [/dead /gone] loop false ends failed; 0 links",
		`2 pages "Bees" on [/en /fr]`,
		`2 pages "All about bees" on [/en /de]`,
		"/fr says /en : different",
		"/it says /hop1 : redirect",
		"/pt says /gone : dead",
		"/en says /fr fr: language",
		"/en says /gone es: dead",
		"mirrors of : 1, confidence 0.8",
		"refused redirect: 6, 6 shown",
		"refused exclude: 4, 0 shown",
		"refused soft-404: 1, 1 shown",
		"waits b.example: 7",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the report says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A copy of the same bytes is not read: it has the language of what it is a copy of.
func TestCopiesHaveTheLanguageOfWhatTheyAreCopiesOf(t *testing.T) {
	c := site()
	c.pages = append(c.pages,
		page.Record{URL: "http://a.example/other", Verdict: page.VerdictCopy, Of: "http://a.example/nl", Status: 200, Type: "text/html", Level: 3},
		page.Record{URL: "http://a.example/near", Verdict: page.VerdictCopy, Of: "http://a.example/nl", Status: 200, Type: "text/html", Level: 5, Lang: "nl-BE"},
		page.Record{URL: "http://a.example/lost", Verdict: page.VerdictCopy, Of: "http://b.example/elsewhere", Status: 200, Type: "text/html", Level: 3})
	got := make(map[string]int64)
	for _, l := range gather(t, c).Languages {
		got[l.Name] = l.N
	}
	if want := map[string]int64{"en": 2, "de-CH": 1, "it": 1, "pt": 1, "nl": 3, "nl-BE": 1, "not known": 1}; !maps.Equal(got, want) {
		t.Errorf("languages %v, want %v", got, want)
	}
}

func TestThePageIsWholeAtAnySizeAndHasNoMarkupOfOthers(t *testing.T) {
	for _, rows := range []int{0, 3, 10_000} {
		c := &crawled{bodies: make(map[string]string)}
		for i := range rows {
			url := fmt.Sprintf("http://a.example/%d?<script>alert(1)</script>", i)
			c.pages = append(c.pages, page.Record{URL: url, Verdict: page.VerdictFailed, Status: 404, Reason: "<script>alert(2)</script>"})
			c.kept(fmt.Sprintf("/kept/%d", i/2), "en", fmt.Sprintf("<script>%d</script>", i/2), "")
		}
		r := gather(t, c)
		for _, shown := range []int{5, 20_000} {
			var b bytes.Buffer
			if err := r.WriteHTML(&b, shown); err != nil {
				t.Fatal(err)
			}
			page := b.String()
			if strings.Contains(page, "<script") || !strings.HasSuffix(strings.TrimSpace(page), "</html>") {
				t.Errorf("the page of %d rows has a script, or no end", rows)
			}
			if got, want := strings.Count(page, "http 404")+strings.Count(page, "alert(2)"), min(rows, shown); got != want {
				t.Errorf("the page of %d rows shows %d broken links, want %d", rows, got, want)
			}
			if more := strings.Contains(page, " more: crawl report --csv"); more != (rows > shown) {
				t.Errorf("the page of %d rows that shows %d says that there are more: %t", rows, shown, more)
			}
		}
	}
}

// TestEachTableOfThePageHasItsOwnName: a reader that hears the page goes from one to the next by it.
func TestEachTableOfThePageHasItsOwnName(t *testing.T) {
	var b bytes.Buffer
	if err := gather(t, site()).WriteHTML(&b, 100); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`role="region" aria-label="([^"]*)"`).FindAllStringSubmatch(b.String(), -1) {
		if slices.Contains(names, m[1]) {
			t.Errorf("two tables are called %q", m[1])
		}
		names = append(names, m[1])
	}
	if want := "Mirrors of http://a.example"; !slices.Contains(names, want) || len(names) != 12 {
		t.Errorf("%d tables are called %q, want 12, one of them %q", len(names), names, want)
	}
}

func TestTablesHaveALineForEachRowAndNoFormulas(t *testing.T) {
	c := site()
	c.kept("/pt2", "pt", "=Abelhas()", "")
	r := gather(t, c)
	dir := filepath.Join(t.TempDir(), "tables")
	plain := func(text string) string { return strings.ReplaceAll(text, "Abelhas", "Api") }
	if err := r.WriteCSV(dir, plain); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{
		"counts": 16, "broken": 12, "redirects": 3, "duplicates": 1, "titles": 4, "descriptions": 2, "canonicals": 3,
		"translations": 2, "mirrors": 1, "hosts": 2, "refused": 8, "parked": 1,
	} {
		f, err := os.Open(filepath.Join(dir, name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil || len(lines)-1 != want {
			t.Errorf("%s.csv has %d rows (%v), want %d: %q", name, len(lines)-1, err, want, lines)
		}
		for _, line := range lines {
			if strings.HasPrefix(line[0], "=") {
				t.Errorf("%s.csv has the formula %q", name, line[0])
			}
			if strings.Contains(strings.Join(line, " "), "Abelhas") {
				t.Errorf("%s.csv has the text %q as the page has it", name, line)
			}
		}
	}
	if err := r.WriteCSV(dir, plain); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a folder that has files is written: %v", err)
	}
}

func TestAReportIsTheSameAfterJSON(t *testing.T) {
	r := gather(t, site())
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back report.Report
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if err != nil || !bytes.Equal(again, b) {
		t.Errorf("%s\nis after JSON (%v)\n%s", b, err, again)
	}
	if _, lists, _ := bytes.Cut(b, []byte(`"verdicts"`)); bytes.Contains(lists, []byte(":null")) {
		t.Errorf("a list is null: %s", b)
	}
}

// A report is made from an open job, or from a running one through control.Client.
func ExampleGather() {
	r, err := report.Gather(context.Background(), site())
	if err != nil {
		panic(err)
	}
	for _, b := range r.Broken.Rows[:1] {
		fmt.Println(b.URL, b.Reason, b.Inlinks)
	}
	// Output:
	// http://a.example/gone http 404 not found 12
}

package page_test

import (
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
)

// A record says since which visit its URL has been gone, and no longer once it has come back.
func TestARecordSaysSinceWhenItsURLIsGone(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	p := page.Record{Verdict: page.VerdictNew, Status: 200, Fetched: day(1)}
	for _, c := range []struct {
		status int
		day    int
		gone   time.Time
	}{
		{404, 2, day(2)}, {410, 3, day(2)}, {304, 4, time.Time{}}, {301, 5, day(5)},
	} {
		p.MarkRevisited(&page.Record{Status: c.status, Fetched: day(c.day)}, "")
		if !p.Gone.Equal(c.gone) || p.RevisitStatus != c.status || !p.Asked().Equal(day(c.day)) {
			t.Errorf("after a %d on day %d: gone %v, status %d, asked %v; want gone %v", c.status, c.day, p.Gone, p.RevisitStatus, p.Asked(), c.gone)
		}
	}
}

// A server that fails says nothing about its documents.
func TestAURLIsMissingIfItsAnswerSaysSo(t *testing.T) {
	for _, c := range []struct {
		p    page.Record
		want bool
	}{
		{page.Record{Status: 404}, true}, {page.Record{Status: 410}, true},
		{page.Record{Status: 301, Rule: "redirect"}, true}, {page.Record{Status: 200, Rule: "soft-404"}, true},
		{page.Record{Status: 200}, false}, {page.Record{Status: 503}, false}, {page.Record{}, false},
	} {
		if got := c.p.Missing(); got != c.want {
			t.Errorf("Missing of status %d, rule %q: %v, want %v", c.p.Status, c.p.Rule, got, c.want)
		}
	}
}

// A page that turns out to be a copy is counted as one, and its record names the kept page.
func TestAPageThatTurnsOutToBeACopyIsCountedAsOne(t *testing.T) {
	p := page.Record{Verdict: page.VerdictNew, URL: "http://b.example/"}
	n := page.Totals{New: 2, Levels: map[string]int64{}, Classes: map[string]int64{}}
	v := dedup.Verdict{Of: 1, Level: dedup.LevelNear, Class: dedup.PartialLayout, Distance: 2, Similarity: .9}
	p.MarkCopy("http://a.example/", v)
	n.Demote(&p)
	if p.Verdict != page.VerdictCopy || p.Of != "http://a.example/" || p.Level != 5 || p.Distance != 2 || p.Similarity != .9 || p.Reason != v.Reason() {
		t.Errorf("record %+v", p)
	}
	if n.New != 1 || n.Copies != 1 || n.Levels["5"] != 1 || n.Classes[p.Class] != 1 {
		t.Errorf("totals %+v", n)
	}
	p.Class = "" // a copy of a text of an earlier crawl
	if n.Demote(&p); n.Copies != 2 || len(n.Classes) != 1 {
		t.Errorf("with a copy of no class: totals %+v, want 2 copies, one of a class", n)
	}
}

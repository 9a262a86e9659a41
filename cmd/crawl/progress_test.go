package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority/focus"
)

func TestNobodyWatches(t *testing.T) {
	var b strings.Builder
	j := &job{screen: console.NewScreen(&b)}
	j.watch(func() page.Totals { return page.Totals{} }, func() gatecrawl.Tally { return gatecrawl.Tally{} }, nil, nil)()
	j.screen.Show("progress")
	if b.Len() > 0 {
		t.Errorf("without a terminal %q was written, want nothing", b.String())
	}
}

func TestOffATerminalALineIsLoggedAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		j := &job{screen: console.NewScreen(&b), settings: configs.Default()}
		start := time.Now()
		run := func() gatecrawl.Tally {
			s := time.Since(start).Seconds()
			return gatecrawl.Tally{Seconds: s, Fetched: int64(10 * s), New: int64(9 * s), Errors: 3, Unanswered: 1}
		}
		stop := j.watch(func() page.Totals { return page.Totals{Queued: 40, Leased: 2} }, run, nil, nil)
		time.Sleep(150 * time.Second)
		stop()
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		want := "level=INFO msg=progress pages=1200 per_second=10 new=1080 copies=0 failed=4 queued=42 hosts_parked=0"
		if len(lines) != 2 || !strings.HasSuffix(lines[1], want) {
			t.Errorf("after 150 s the log is\n%s\nwant two lines, the second ending in\n%s", b.String(), want)
		}
	})
}

func TestTheProgressOfAFocusedCrawlTellsWhatItBrings(t *testing.T) {
	head := float32(41.537)
	got := fmt.Sprintln(harvestFields(gatecrawl.Status{
		Totals:    page.Totals{Harvest: &page.Harvest{Answers: 400, OnTopic: 50, Last: .05, Low: .0215, High: .1118}},
		BestHosts: []gatecrawl.HostState{{Name: "a.example", Harvest: .623}, {Name: "b.example", Harvest: .2}},
		Head:      &head,
		Topic:     &gatecrawl.TopicState{About: focus.About{Model: 3, For: 18, Against: 70}},
	})...)
	want := "on_topic 50 harvest 0.13 harvest_last_100 0.05 harvest_low 0.02 harvest_high 0.11 best_host a.example best_host_relevance 0.62 queue_head 41.54 model 3 examples_for 18 examples_against 70"
	if got = strings.TrimSpace(got); got != want {
		t.Errorf("the fields of a focused crawl are\n%s\nwant\n%s", got, want)
	}
}

func TestARunningCrawlInAFewLines(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	since := now.Add(-4 * time.Second)
	var l control.Live
	l.PerSecond, l.BytesPerSecond = 51.24, 1.5e6
	l.Tally = gatecrawl.Tally{
		Seconds: 725.4, Fetched: 1234, New: 1000, Copies: 1, Redirects: 30, Errors: 3, Unanswered: 1,
		Failures: map[string]gatecrawl.Failure{"http 404 not found": {Count: 3}, "dns": {Count: 1}},
	}
	l.Run.Refused, l.Run.New, l.Run.Relevant = 35, 1000, 250
	l.Totals = page.Totals{Queued: 5000, Later: 1, Leased: 2, Hosts: 16, ParkedHosts: 1, Parked: 55}
	l.Progress = &control.Progress{Of: "max-pages", Share: .617, Left: 15.2}
	l.InHand = []gatecrawl.HostState{{Name: "a.example", Since: &since}}
	l.Hosts = []hostRate{{Name: "b.example", TookMS: 2340}, {Name: "c.example", TookMS: 20}}
	want := []string{
		"crawling for 12m5s, 1,234 pages, 51.2 pages/s, 1.5 MB/s, 62% of max-pages, about 15s left",
		"1,000 kept, 1 copy, 35 refused, 30 redirects, 4 failed (3 http 404 not found, 1 host not found)",
		"queue 5,002, 1 to be tried again, 16 hosts, 1 of them in hand, 1 host parked with 55 URLs",
		"slow: a.example (no answer for 4s), b.example (2.3s a page)",
		"harvest: 25.0% of 1,000 documents are on the topic",
	}
	if got := liveLines(l, 120, now); !slices.Equal(got, want) {
		t.Errorf("liveLines = %q\nwant %q", got, want)
	}
	quiet := l
	quiet.QuietUntil = &since
	if got, want := liveLines(quiet, 120, now)[0], "QUIET HOURS until "+humanize.Moment(since)+", after 12m5s"; !strings.HasPrefix(got, want) {
		t.Errorf("in quiet hours the first line is %q, want %q", got, want)
	}
	for _, width := range []int{20, 40, 80} {
		lines := liveLines(l, width, now)
		for _, line := range lines {
			if len(line) >= width {
				t.Errorf("a line of %d characters for a terminal of %d: %q", len(line), width, line)
			}
		}
		if said := strings.Join(strings.Fields(strings.Join(lines, " ")), " "); width > 20 && said != strings.Join(want, " ") {
			t.Errorf("on a terminal of %d columns is said %q\nwant %q", width, said, strings.Join(want, " "))
		}
	}
}

func TestWhatAHostWaitsFor(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	soon := now.Add(90 * time.Second)
	for want, h := range map[string]gatecrawl.HostState{
		"parked by hand until " + humanize.Moment(soon):                               {Parked: &soon, ByHand: true},
		"parked until " + humanize.Moment(soon) + ": dns":                             {Parked: &soon, Failure: "dns"},
		"waits for an answer for 5s":                                                  {Since: ptr(now.Add(-5 * time.Second)), Due: &soon},
		"waits: the pages under way may reach the limit":                              {AtLimit: true, InHand: 1, Due: &soon},
		"has reached its limit of pages":                                              {Held: true, Queued: 4},
		"tried again in 1m30s: http 503":                                              {Due: &soon, Failure: "http 503", Queued: 4},
		"rests for 1m30s":                                                             {Due: &soon, Queued: 4},
		"rests for 1m30s (2m0s between two requests: its Crawl-delay, or it is slow)": {Due: &soon, Queued: 4, Rest: 120},
		"rests for 300ms":                                                             {Due: ptr(now.Add(302 * time.Millisecond)), Queued: 4},
		"tried again in 5s: http 429":                                                 {Later: 1, Again: ptr(now.Add(5 * time.Second)), Failure: "http 429"},
		"tried again in 5s: a page failed":                                            {Later: 1, Again: ptr(now.Add(5 * time.Second))},
		"has nothing queued":                                                          {},
		"waiting for its turn":                                                        {Due: &now, Queued: 1},
	} {
		if got := hostWaits(h, now); got != want {
			t.Errorf("hostWaits(%+v) = %q, want %q", h, got, want)
		}
	}
}

func TestAHostWithNothingLeftIsNotSlow(t *testing.T) {
	now := time.Now()
	l := control.Live{Failed: []gatecrawl.HostState{
		{Name: "done.test", Failures: 3, Failure: "http 429"}, {Name: "waits.test", Failures: 2, Failure: "http 429", Later: 1, Again: ptr(now.Add(5 * time.Second))},
	}}
	if got, want := waitsText(l, now), "slow: waits.test (tried again in 5s: http 429)"; got != want {
		t.Errorf("waitsText = %q, want %q", got, want)
	}
}

func ptr[T any](v T) *T { return &v }

func TestWhoseCertificateIsNotTrustedIsToldHowToTrustIt(t *testing.T) {
	var b strings.Builder
	tellFailures(&b, gatecrawl.Tally{Failures: map[string]gatecrawl.Failure{
		string(fetch.PhaseTLS): {Count: 1, URL: "https://h.example:8443/a", Reason: "secure connection: x509: certificate signed by unknown authority"},
	}})
	if !strings.Contains(b.String(), "--ca-file FILE; --insecure h.example:8443 ") {
		t.Errorf("the summary says %q, and not how the certificate is trusted", b.String())
	}
}

func TestALineThatJustFitsIsNotCut(t *testing.T) {
	for width := 20; width < 30; width++ {
		for _, line := range wrapped([]string{"not counted: node two cannot write: free some space and it goes on, or drain it"}, width) {
			if strings.Contains(line, "...") {
				t.Errorf("on %d columns a line is cut: %q", width, line)
			}
		}
	}
}

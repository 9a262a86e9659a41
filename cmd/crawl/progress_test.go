package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/page"
)

func TestMessagesStandAboveTheProgress(t *testing.T) {
	var b strings.Builder
	s := &screen{w: &b, width: func() int { return 20 }}
	s.show("10 pages")
	fmt.Fprintln(s, "a message")
	s.show("a line that is much too long for the terminal")
	s.show("")
	want := "\r\x1b[K10 pages" + "\r\x1b[Ka message\n\r\x1b[K10 pages" + "\r\x1b[Ka line that is much" + "\r\x1b[K"
	if got := b.String(); got != want {
		t.Errorf("the terminal got %q, want %q", got, want)
	}
}

func TestNobodyWatches(t *testing.T) {
	var b strings.Builder
	j := &job{screen: newScreen(&b)}
	j.watch(func() page.Totals { return page.Totals{} }, func() gatecrawl.Tally { return gatecrawl.Tally{} })()
	j.screen.show("progress")
	if b.Len() > 0 {
		t.Errorf("without a terminal %q was written, want nothing", b.String())
	}
}

func TestOffATerminalALineIsLoggedAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		j := &job{screen: newScreen(&b), settings: configs.Default()}
		began := time.Now()
		run := func() gatecrawl.Tally {
			s := time.Since(began).Seconds()
			return gatecrawl.Tally{Seconds: s, Fetched: int64(10 * s), New: int64(9 * s), Errors: 3, Unanswered: 1}
		}
		stop := j.watch(func() page.Totals { return page.Totals{Queued: 40, Leased: 2} }, run)
		time.Sleep(150 * time.Second)
		stop()
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		want := "level=INFO msg=progress pages=1200 per_second=10 new=1080 copies=0 failed=4 queued=42 hosts_parked=0"
		if len(lines) != 2 || !strings.HasSuffix(lines[1], want) {
			t.Errorf("after 150 s the log is\n%s\nwant two lines, the second ending in\n%s", b.String(), want)
		}
	})
}

func TestProgressLine(t *testing.T) {
	totals := page.Totals{Pages: 9999, Queued: 5000, Later: 1, Leased: 2, Hosts: 16}
	for want, n := range map[string]gatecrawl.Tally{
		"10s  1,234 pages 123/s: 1,000 new 200 copies 4 failed, 5,003 queued":         {Seconds: 10, Fetched: 1234, New: 1000, Copies: 200, Redirects: 30, Errors: 3, Unanswered: 1},
		"1s  1 page 1/s: 0 new 0 changed 1 unchanged 0 copies 0 failed, 5,003 queued": {Seconds: 1, Fetched: 1, Unchanged: 1},
	} {
		if got := progressLine(n, totals); got != want {
			t.Errorf("progressLine = %q, want %q", got, want)
		}
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -12: "-12"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}

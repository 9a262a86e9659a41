package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatecrawl"
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
	s := newScreen(&b)
	s.watch(func() gatecrawl.Totals { return gatecrawl.Totals{} })()
	s.show("progress")
	if b.Len() > 0 {
		t.Errorf("without a terminal %q was written, want nothing", b.String())
	}
}

func TestProgressLine(t *testing.T) {
	totals := gatecrawl.Totals{Pages: 1234, New: 1000, Copies: 200, Refused: 30, Failed: 4, Queued: 5000, Later: 1, Leased: 2, Hosts: 16}
	got := progressLine(totals, 10*time.Second, 1000)
	want := "10s  1,234 pages 100/s: 1,000 new 200 copies 30 refused 4 failed, 5,003 queued"
	if got != want {
		t.Errorf("progressLine = %q, want %q", got, want)
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -12: "-12"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
}

package board

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/page"
)

func settled(url string, v page.Verdict, took int) page.Record {
	return page.Record{Seq: 1, URL: url, Verdict: v, Status: 200, TookMS: took, Wire: 1000, Relevance: .6, Reason: string(v)}
}

func TestACopyThatWasFoundEarlierIsNotFoundAgain(t *testing.T) {
	b := New()
	again := settled("http://a.example/", page.VerdictCopy, 10)
	again.Seq, again.Replaces = 7, 7 // a re-crawl found it as it was
	b.Settled(again)
	found := settled("http://b.example/", page.VerdictCopy, 10)
	found.Seq, found.Of = 8, "http://a.example/"
	b.Settled(found)
	if s := b.Now(10); len(s.Copies) != 1 || s.Copies[0].URL != found.URL || s.Run.Copies != 2 {
		t.Errorf("copies that were found: %+v, of %d settled", s.Copies, s.Run.Copies)
	}
}

func TestRatesAreOfTheLastSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		for range 60 { // a page a second, then three
			b.Settled(settled("http://a.example/", page.VerdictNew, 100))
			time.Sleep(time.Second)
		}
		for range 20 {
			for i := range 3 {
				b.Settled(settled(fmt.Sprintf("http://b%d.example/", i), page.VerdictCopy, 10))
			}
			time.Sleep(time.Second)
		}
		s := b.Now(100)
		if s.PerSecond != 3 || s.BytesPerSecond != 3000 {
			t.Errorf("Now = %.1f pages/s, %.0f bytes/s, want 3 and 3000", s.PerSecond, s.BytesPerSecond)
		}
		if s.Run.New != 60 || s.Run.Copies != 60 || s.Run.Relevant != 60 || s.Lately != s.Run {
			t.Errorf("Now = %+v, lately %+v", s.Run, s.Lately)
		}
		var sum Bucket
		for _, n := range s.Series {
			sum.add(n)
		}
		if last := s.Series[len(s.Series)-1]; sum.Pages < 105 || last.Pages != 15 {
			t.Errorf("the series has %d pages and ends with %d, want almost 120, and 15", sum.Pages, last.Pages)
		}
		if len(s.Copies) != 60 || s.Copies[0].URL != "http://b2.example/" || len(s.Refused) != 0 {
			t.Errorf("%d copies, the last %+v; %d refusals", len(s.Copies), s.Copies[0], len(s.Refused))
		}
		time.Sleep(20 * time.Minute)
		s = b.Now(100)
		if s.PerSecond != 0 || s.Lately.Pages != 0 || s.Run.Pages != 120 || len(s.Hosts) != 0 {
			t.Errorf("after 20 minutes Now = %.1f pages/s, %d lately, %d in all, %d hosts", s.PerSecond, s.Lately.Pages, s.Run.Pages, len(s.Hosts))
		}
		day := int64(0)
		for _, n := range s.Days {
			day += n.Pages
		}
		if day != 120 {
			t.Errorf("the day has %d pages, want 120", day)
		}
	})
}

func TestHostsAreCountedForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		for range 45 {
			b.Settled(settled("http://a.example/x", page.VerdictNew, 100))
			b.Settled(settled("http://b.example:8080/", page.VerdictFailed, 300))
			b.Settled(settled("http://a.example/y", page.VerdictNew, 200))
			time.Sleep(time.Second)
		}
		s := b.Now(1)
		if len(s.Hosts) != 1 || s.Hosts[0].Name != "a.example" || s.Hosts[0].Pages != 90 || s.Hosts[0].TookMS != 150 || s.Hosts[0].PerMin != 120 {
			t.Errorf("Now(1).Hosts = %+v, want a.example with 90 pages, 120 a minute, 150 ms each", s.Hosts)
		}
		h := b.Rate("b.example:8080")
		if h.Failed != 45 || h.Reason != "failed" || h.PerMin != 60 {
			t.Errorf("Rate = %+v", h)
		}
		if h := b.Rate("c.example"); h.Pages != 0 || h.PerMin != 0 {
			t.Errorf("Rate of a host without a page = %+v", h)
		}
	})
}

func TestTheLogsAreBounded(t *testing.T) {
	b := New()
	for i := range 1000 {
		b.Settled(settled(fmt.Sprintf("http://h%d.example/", i), page.VerdictRefused, 0))
	}
	s := b.Now(10_000)
	if len(s.Refused) != lines || s.Refused[0].URL != "http://h999.example/" || s.Refused[lines-1].URL != "http://h800.example/" {
		t.Errorf("%d refusals, from %s to %s; want the last %d, the newest first", len(s.Refused), s.Refused[0].URL, s.Refused[len(s.Refused)-1].URL, lines)
	}
}

func BenchmarkSettled(b *testing.B) {
	board := New()
	p := settled("http://a.example/a/page/of/the/usual/length.html", page.VerdictNew, 100)
	for b.Loop() {
		board.Settled(p)
	}
}

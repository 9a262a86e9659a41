package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/page"
)

// TestACrawlOfAClusterIsShownWhileItRuns: a line a minute off a terminal, which names the nodes
// that are not counted; an answer that does not come is told and does not end it.
func TestACrawlOfAClusterIsShownWhileItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		screen := console.NewScreen(&b)
		start := time.Now()
		status := func(context.Context) (gatecrawl.Status, error) {
			n := int64(10 * time.Since(start).Seconds())
			s := gatecrawl.Status{Totals: page.Totals{Pages: n, New: n - 5, Copies: 5, Failed: 3, Queued: 40, Leased: 2}, NowPerSec: 9.96}
			switch {
			case n > 1200:
				return s, errors.New("nobody answers")
			case n > 600:
				s.Away = []string{"node two, which has partition 1 of job news, cannot write: no space"}
			}
			return s, nil
		}
		var r clusterRun
		local := &job{settings: configs.Default(), screen: screen}
		stop := r.watch(t.Context(), screen, local.log(), time.Duration(local.settings.LogEvery), status)
		time.Sleep(190 * time.Second)
		stop()
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		want := []string{
			"level=INFO msg=progress pages=600 per_second=10 new=595 copies=5 failed=3 queued=42 hosts_parked=0",
			`hosts_parked=0 not_counted="node two, which has partition 1 of job news, cannot write: no space"`,
			`level=WARN msg="progress is not known" err="nobody answers"`,
		}
		if len(lines) != len(want) {
			t.Fatalf("after 190 s the log is\n%s\nwant %d lines", b.String(), len(want))
		}
		for i := range want {
			if !strings.HasSuffix(lines[i], want[i]) {
				t.Errorf("line %d is %s\nwant one that ends in %s", i, lines[i], want[i])
			}
		}
	})
}

func TestACrawlOfAClusterInAFewLines(t *testing.T) {
	s := gatecrawl.Status{
		Job: "news", Stopped: "stopped", Active: 63, NowPerSec: 36, Away: []string{"node two does not answer"},
		Totals: page.Totals{Pages: 1234, New: 1000, Copies: 1, Refused: 35, Failed: 3, Reasons: map[string]int64{"http 404 not found": 3}, Queued: 5000, Hosts: 16, ParkedHosts: 1, Parked: 55},
	}
	want := `crawling for 1m3s, 1,234 pages, 36 pages/s
1,000 kept, 1 copy, 35 refused, 3 failed (http 404 not found 3)
queue 5,000, 16 hosts, 1 host parked with 55 URLs
not counted: node two does not answer`
	if got := strings.Join(clusterLines(s, nil), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var b strings.Builder
	var r clusterRun
	r.cluster = cli.Cluster{}
	r.cluster.At("127.0.0.1:4222")
	r.tellEnd(&b, s)
	want = `stopped: 1,234 pages in 1m3s: 1,000 kept, 1 copy, 35 refused, 3 failed (http 404 not found 3)
not counted: node two does not answer
go on with: crawl resume --cluster 127.0.0.1:4222 --job news
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

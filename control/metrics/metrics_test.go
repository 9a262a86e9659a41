package metrics_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control/metrics"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority/focus"
)

// A counted is a job of which only the status is asked.
type counted struct {
	gatecrawl.Inspector
	status gatecrawl.Status
}

func (c counted) Status(context.Context) (gatecrawl.Status, error) { return c.status, nil }

func scrape(m *metrics.Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

func TestMetricsAreThoseOfTheJob(t *testing.T) {
	until := time.Now().Add(time.Hour)
	job := counted{status: gatecrawl.Status{Paused: true, QuietUntil: &until, MemoryBytes: 7, DiskBytes: 8, Active: 9.5, Totals: page.Totals{
		New: 3, Copies: 2, Refused: 1, Failed: 4, Wire: 1000, Queued: 50, Leased: 5, Hosts: 6, ParkedHosts: 1,
		Rules: map[string]int64{"robots": 10}, Reasons: map[string]int64{`http 404 "x"`: 4}, Levels: map[string]int64{"3": 2},
	}}}
	m := metrics.New(job)
	m.Page(page.Record{Status: 200, TookMS: 150, Verdict: page.VerdictNew})
	m.Page(page.Record{Verdict: page.VerdictFailed}) // nobody answered
	m.Gate(20 * time.Microsecond)
	m.Commit(2 * time.Millisecond)
	text := scrape(m)
	for _, want := range []string{
		`crawl_pages_total{verdict="new"} 1`, `crawl_pages_total{verdict="failed"} 1`, "# TYPE crawl_pages_total counter",
		`crawl_pages{verdict="new"} 3`, `crawl_pages{verdict="copy"} 2`, "# TYPE crawl_pages gauge", `crawl_refused_urls{rule="robots"} 10`,
		`crawl_failed_pages{reason="http 404 \"x\""} 4`, `crawl_copies{level="3"} 2`, `crawl_wire_bytes_total 1000`,
		`crawl_queue_urls{state="queued"} 50`, `crawl_queue_urls{state="in_hand"} 5`, `crawl_hosts 6`, `crawl_hosts_parked 1`,
		`crawl_paused 1`, `crawl_quiet 1`, `crawl_heap_bytes 7`, `crawl_disk_bytes 8`, `crawl_active_seconds_total 9.5`,
		`crawl_page_seconds_bucket{le="0.2"} 1`, `crawl_page_seconds_count 1`, `crawl_gate_seconds_count 1`, `crawl_commit_seconds_count 1`,
		"go_goroutines",
	} {
		if !strings.Contains(text, want+"\n") && !strings.Contains(text, want+" ") {
			t.Errorf("/metrics lacks %s", want)
		}
	}
}

func TestMetricsOfAFocusedCrawlHaveItsHarvest(t *testing.T) {
	head := float32(41.5)
	text := scrape(metrics.New(counted{status: gatecrawl.Status{
		Totals: page.Totals{Harvest: &page.Harvest{Answers: 40, OnTopic: 10, Last: .3, Low: .2, High: .4}}, Head: &head,
		Topic:     &gatecrawl.TopicState{About: focus.About{Model: 2, For: 12, Against: 30}},
		BestHosts: []gatecrawl.HostState{{Name: "birds.example", Rated: 12, Harvest: .75}},
	}}))
	for _, want := range []string{
		"crawl_topic_pages_total 10", "crawl_topic_answers_total 40", "crawl_harvest_last_100 0.3", "crawl_topic_queue_head 41.5",
		"crawl_harvest_last_100_low 0.2", "crawl_harvest_last_100_high 0.4", "crawl_topic_model 2",
		`crawl_topic_examples{side="for"} 12`, `crawl_topic_examples{side="against"} 30`,
		`crawl_topic_host_relevance{host="birds.example"} 0.75`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("/metrics lacks %s", want)
		}
	}
}

func TestTwoJobsHaveMetricsOfTheirOwn(t *testing.T) {
	a, b := metrics.New(counted{}), metrics.New(counted{})
	a.Gate(time.Second)
	if !strings.Contains(scrape(a), "crawl_gate_seconds_count 1\n") || !strings.Contains(scrape(b), "crawl_gate_seconds_count 0\n") {
		t.Error("the metrics of two jobs are one")
	}
}

// With m.Page as a page hook and m.Gate and m.Commit told of the steps, all is counted.
func Example() {
	m := metrics.New(counted{status: gatecrawl.Status{Totals: page.Totals{New: 12}}})
	for line := range strings.Lines(scrape(m)) {
		if strings.HasPrefix(line, `crawl_pages{verdict="new"}`) {
			fmt.Print(line)
		}
	}
	// Output:
	// crawl_pages{verdict="new"} 12
}

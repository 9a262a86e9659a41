// Package metrics exports the numbers of a crawl to Prometheus.
//
// New makes a registry of its own. It has counts of the job, which are read when Prometheus asks
// for them, and histograms of the times for pages, the gate and commits, which Page, Gate and
// Commit fill.
package metrics

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
)

// Metrics are the metrics of one job.
type Metrics struct {
	registry *prometheus.Registry
	visits   *prometheus.CounterVec
	page     prometheus.Histogram
	gate     prometheus.Histogram
	commit   prometheus.Histogram
}

// A Job says how far a crawl is.
type Job interface {
	Status(ctx context.Context) (gatecrawl.Status, error)
}

// New returns the metrics of a job.
func New(job Job) *Metrics {
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "crawl", Name: name, Help: help, Buckets: buckets})
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		visits: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "crawl", Name: "pages_total",
			Help: "Pages that this process has visited, by what they were when they came."}, []string{"verdict"}),
		page:   histogram("page_seconds", "Time of a request, until the last byte.", []float64{.01, .03, .1, .2, .5, 1, 2, 5, 10, 30, 60}),
		gate:   histogram("gate_seconds", "Time that the gate took to answer.", []float64{1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, .1, 1}),
		commit: histogram("commit_seconds", "Time until a visit was durable.", []float64{1e-3, 3e-3, 1e-2, 3e-2, .1, .3, 1, 3, 10}),
	}
	for _, v := range []page.Verdict{page.VerdictNew, page.VerdictCopy, page.VerdictRefused, page.VerdictFailed} {
		m.visits.WithLabelValues(string(v))
	}
	m.registry.MustRegister(m.visits, m.page, m.gate, m.commit, jobCounts{job},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Page counts a page, and the time that it took. It is a record hook, see gatecrawl.Hooks.
func (m *Metrics) Page(p page.Record) {
	m.visits.WithLabelValues(string(p.Verdict)).Inc()
	if p.Status != 0 {
		m.page.Observe(float64(p.TookMS) / 1000)
	}
}

// Gate counts the time that the gate took for a page.
func (m *Metrics) Gate(d time.Duration) { m.gate.Observe(d.Seconds()) }

// Commit counts the time until a visit was durable.
func (m *Metrics) Commit(d time.Duration) { m.commit.Observe(d.Seconds()) }

// Handler answers GET /metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("crawl_"+name, help, labels, nil)
}

var (
	pages    = desc("pages", "Pages of the job as it has them now.", "verdict") // fewer are new where one is seen to be a copy later
	wire     = desc("wire_bytes_total", "Bytes of bodies on the wire.")
	body     = desc("body_bytes_total", "Bytes of bodies, decompressed.")
	retries  = desc("retries_total", "Failed tries that were not the last.")
	refused  = desc("refused_urls", "URLs that a rule refuses now, links too.", "rule")
	failures = desc("failed_pages", "Pages that failed when they were last asked for.", "reason")
	copies   = desc("copies", "Copies by the level of the gate that decided.", "level")
	queue    = desc("queue_urls", "URLs that are not settled.", "state")
	hosts    = desc("hosts", "Hosts that were met.")
	parked   = desc("hosts_parked", "Hosts that are left alone.")
	disk     = desc("disk_bytes", "Size of the files of the job.")
	heap     = desc("heap_bytes", "Heap of the crawl.")
	paused   = desc("paused", "1 while the crawl is paused by crawl pause.")
	quiet    = desc("quiet", "1 while the crawl starts no page, for its quiet hours.")
	active   = desc("active_seconds_total", "Time crawled, all runs together.")
	onTopic  = desc("topic_pages_total", "New documents on the topic of a focused crawl.")
	harvest  = desc("harvest_last_100", "Share on the topic of the last 100 answers.")
	low      = desc("harvest_last_100_low", "Lower end of the 95% interval of harvest_last_100.")
	high     = desc("harvest_last_100_high", "Upper end of the 95% interval of harvest_last_100.")
	fits     = desc("topic_model", "How often the model of the topic was fitted; 0: there is none yet.")
	examples = desc("topic_examples", "Examples in the last fit of the model.", "side")
	answers  = desc("topic_answers_total", "Answers in a focused crawl.")
	ofHost   = desc("topic_host_relevance", "Mean relevance of the answers of the five hosts where it is highest.", "host")
	head     = desc("topic_queue_head", "Score of the best URL that waits in a focused crawl.")
	all      = []*prometheus.Desc{onTopic, harvest, low, high, fits, examples, answers, ofHost, head, pages, wire, body, retries, refused, failures, copies, queue, hosts, parked, disk, heap, paused, quiet, active}
)

// jobCounts exports the counts that a job keeps.
type jobCounts struct{ job Job }

// Describe implements prometheus.Collector.
func (jobCounts) Describe(out chan<- *prometheus.Desc) {
	for _, d := range all {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c jobCounts) Collect(out chan<- prometheus.Metric) {
	s, err := c.job.Status(context.Background())
	if err != nil {
		out <- prometheus.NewInvalidMetric(pages, err)
		return
	}
	one := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, kind, v, labels...) // there are as many labels as the description has
	}
	count := func(d *prometheus.Desc, n int64, labels ...string) {
		one(d, prometheus.CounterValue, float64(n), labels...)
	}
	gauge := func(d *prometheus.Desc, n int64, labels ...string) {
		one(d, prometheus.GaugeValue, float64(n), labels...)
	}
	named := func(d *prometheus.Desc, m map[string]int64) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			gauge(d, m[name], name)
		}
	}
	if h := s.Harvest; h != nil {
		count(onTopic, h.OnTopic)
		count(answers, h.Answers)
		one(harvest, prometheus.GaugeValue, h.Last)
		one(low, prometheus.GaugeValue, h.Low)
		one(high, prometheus.GaugeValue, h.High)
		for _, best := range s.BestHosts {
			one(ofHost, prometheus.GaugeValue, best.Harvest, best.Name)
		}
		if s.Head != nil {
			one(head, prometheus.GaugeValue, float64(*s.Head))
		}
		if t := s.Topic; t != nil {
			gauge(fits, int64(t.Model))
			named(examples, map[string]int64{"for": int64(t.For), "against": int64(t.Against)})
		}
	}
	named(pages, map[string]int64{"new": s.New, "copy": s.Copies, "refused": s.Refused, "failed": s.Failed})
	count(wire, s.Wire)
	count(body, s.Bytes)
	count(retries, s.Retries)
	named(refused, s.Rules)
	named(failures, s.Reasons)
	named(copies, s.Levels)
	for state, n := range map[string]int64{"queued": s.Queued, "later": s.Later, "in_hand": s.Leased, "held": s.Held, "parked": s.Parked} {
		gauge(queue, n, state)
	}
	gauge(hosts, s.Hosts)
	gauge(parked, s.ParkedHosts)
	gauge(disk, s.DiskBytes)
	gauge(heap, s.MemoryBytes)
	flag := func(is bool) int64 {
		if is {
			return 1
		}
		return 0
	}
	gauge(paused, flag(s.Paused))
	gauge(quiet, flag(s.QuietUntil != nil))
	one(active, prometheus.CounterValue, s.Active)
}

package main

import (
	"log/slog"
	"math"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/page"
)

// watch shows the progress of a crawl in a few lines, redrawn each second, if stderr is a terminal.
// Otherwise it logs a line as often as the settings say. The returned function ends that and clears
// the lines. status is called only for a focused crawl.
func (j *job) watch(totals func() page.Totals, run func() gatecrawl.Tally, status func() (gatecrawl.Status, error), draw func() []string) (stop func()) {
	every, tell := time.Second, func(_, _ gatecrawl.Tally) { j.screen.Show(draw()...) }
	if !j.screen.Watched() {
		log := j.log()
		every = time.Duration(j.settings.LogEvery)
		tell = func(n, before gatecrawl.Tally) {
			s := gatecrawl.Status{Totals: totals()}
			if s.Harvest != nil {
				if whole, err := status(); err == nil {
					s = whole
				}
			}
			logProgress(log, n, before, s)
		}
	}
	before := run()
	return repeat(j.screen, every, func() {
		n := run()
		tell(n, before)
		before = n
	})
}

// repeat calls tell as often as every says, 0 for never, until the returned function is called,
// which also clears the lines on the screen.
func repeat(screen *console.Screen, every time.Duration, tell func()) (stop func()) {
	if every <= 0 {
		return func() {}
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends in stop
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				tell()
			}
		}
	}()
	return func() {
		close(over)
		<-ended
		screen.Show()
	}
}

// waiting returns how many URLs a crawl still has to fetch.
func waiting(t page.Totals) int64 { return t.Queued + t.Later + t.Leased }

// logProgress logs the progress of a run. The rate is that since the line before.
func logProgress(log *slog.Logger, n, before gatecrawl.Tally, s gatecrawl.Status) {
	rate := float64(n.Fetched-before.Fetched) / max(n.Seconds-before.Seconds, .001)
	fields := []any{"pages", n.Fetched, "per_second", math.Round(rate*10) / 10, "new", n.New, "copies", n.Copies}
	if n.Again() > 0 {
		fields = append(fields, "changed", n.Changed, "edited", n.Edited, "unchanged", n.Unchanged, "gone", n.Gone)
	}
	fields = append(fields, harvestFields(s)...)
	log.Info("progress", append(fields, "failed", n.Errors+n.Unanswered, "queued", waiting(s.Totals), "hosts_parked", s.ParkedHosts)...)
}

// harvestFields are the fields of a focused crawl in a line about its progress.
func harvestFields(s gatecrawl.Status) (fields []any) {
	h := s.Harvest
	if h == nil {
		return nil
	}
	hundredths := func(x float64) float64 { return math.Round(100*x) / 100 }
	fields = []any{"on_topic", h.OnTopic, "harvest", hundredths(h.Share()), "harvest_last_100", hundredths(h.Last), "harvest_low", hundredths(h.Low), "harvest_high", hundredths(h.High)}
	if len(s.BestHosts) > 0 {
		fields = append(fields, "best_host", s.BestHosts[0].Name, "best_host_relevance", hundredths(s.BestHosts[0].Harvest))
	}
	if s.Head != nil {
		fields = append(fields, "queue_head", hundredths(float64(*s.Head)))
	}
	if a := s.Topic; a != nil {
		fields = append(fields, "model", a.Model, "examples_for", a.For, "examples_against", a.Against)
	}
	return fields
}

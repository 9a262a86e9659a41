package main

import (
	"log/slog"
	"math"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
)

// watch shows a crawl in a few lines, redrawn each second, if stderr is a terminal. Otherwise
// it logs a line as often as the settings say. The function that it returns ends that and
// clears the lines.
func (j *job) watch(totals func() page.Totals, run func() gatecrawl.Tally, draw func() []string) (stop func()) {
	every, tell := time.Second, func(_, _ gatecrawl.Tally) { j.screen.Show(draw()...) }
	if !j.screen.Watched() {
		log := j.log()
		every = time.Duration(j.settings.LogEvery)
		tell = func(n, before gatecrawl.Tally) { logProgress(log, n, before, totals()) }
	}
	if every <= 0 {
		return func() {}
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends in stop
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		before := run()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				n := run()
				tell(n, before)
				before = n
			}
		}
	}()
	return func() {
		close(over)
		<-ended
		j.screen.Show()
	}
}

// waiting is how many URLs a crawl has still to ask for.
func waiting(t page.Totals) int64 { return t.Queued + t.Later + t.Leased }

// logProgress logs how far a run is. The rate is that since the line before.
func logProgress(log *slog.Logger, n, before gatecrawl.Tally, t page.Totals) {
	rate := float64(n.Fetched-before.Fetched) / max(n.Seconds-before.Seconds, .001)
	fields := []any{"pages", n.Fetched, "per_second", math.Round(rate*10) / 10, "new", n.New, "copies", n.Copies}
	if n.Unchanged+n.Changed+n.Gone > 0 {
		fields = append(fields, "changed", n.Changed, "unchanged", n.Unchanged, "gone", n.Gone)
	}
	if h := t.Harvest; h != nil {
		fields = append(fields, "on_topic", h.OnTopic, "harvest_last_100", math.Round(100*h.Last)/100)
	}
	log.Info("progress", append(fields, "failed", n.Errors+n.Unanswered, "queued", waiting(t), "hosts_parked", t.ParkedHosts)...)
}

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/humanize"
)

// watch shows the progress of a cluster's job as crawl run does for a job of this machine: in a few
// lines, redrawn each second, if stderr is a terminal, and otherwise by a line in the log each time
// that every has passed. The returned function ends that and clears the lines.
func (r *clusterRun) watch(ctx context.Context, screen *console.Screen, log *slog.Logger, every time.Duration, status func(context.Context) (gatecrawl.Status, error)) (stop func()) {
	tell := func(s gatecrawl.Status, err error) { logClusterProgress(log, s, err) }
	if screen.Watched() {
		every, tell = time.Second, func(s gatecrawl.Status, err error) {
			screen.Show(wrapped(clusterLines(s, err), screen.Columns())...)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	end := repeat(screen, every, func() {
		if s, err := status(ctx); ctx.Err() == nil {
			tell(s, err)
		}
	})
	return func() {
		cancel() // a question that is under way
		end()
	}
}

// clusterLines returns the status of a cluster's job in a few lines.
func clusterLines(s gatecrawl.Status, err error) []string {
	if err != nil {
		return []string{"no figures now: " + err.Error()}
	}
	state := "crawling for "
	if s.Paused {
		state = "PAUSED after "
	}
	lines := []string{
		fmt.Sprintf("%s%s, %s, %.0f pages/s", state, spent(s.Active), humanize.Many(s.Pages-s.Older, "page", "pages"), s.NowPerSec),
		clusterCounts(s),
		fmt.Sprintf("queue %s, %s", humanize.Count(waiting(s.Totals)), humanize.Many(s.Hosts, "host", "hosts")),
	}
	if text := parkedText(s.ParkedHosts, s.Parked); text != "" {
		lines[2] += ", " + text
	}
	for _, what := range s.Away {
		lines = append(lines, "not counted: "+what)
	}
	for _, what := range s.Resting {
		lines = append(lines, "resting: "+what)
	}
	return lines
}

// clusterCounts returns the counts of a job's pages in words, with the reasons of failures.
func clusterCounts(s gatecrawl.Status) string {
	text := fmt.Sprintf("%s kept, %s, %s refused, %s failed", humanize.Count(s.New), humanize.Many(s.Copies, "copy", "copies"), humanize.Count(s.Refused), humanize.Count(s.Failed))
	if len(s.Reasons) > 0 {
		text += " (" + humanize.Counts(s.Reasons) + ")"
	}
	return text
}

// logClusterProgress logs how far a job is.
func logClusterProgress(log *slog.Logger, s gatecrawl.Status, err error) {
	if err != nil {
		log.Warn("progress is not known", "err", err)
		return
	}
	fields := []any{"pages", s.Pages - s.Older, "per_second", math.Round(s.NowPerSec*10) / 10, "new", s.New, "copies", s.Copies, "failed", s.Failed, "queued", waiting(s.Totals), "hosts_parked", s.ParkedHosts}
	if s.Paused {
		fields = append(fields, "paused", true)
	}
	if len(s.Away) > 0 {
		fields = append(fields, "not_counted", strings.Join(s.Away, "; "))
	}
	if len(s.Resting) > 0 {
		fields = append(fields, "resting", strings.Join(s.Resting, "; "))
	}
	log.Info("progress", fields...)
}

// tellEnd prints what a job has when it is done or stopped, and what can be done next.
func (r *clusterRun) tellEnd(w io.Writer, s gatecrawl.Status) {
	fmt.Fprintf(w, "%s: %s in %s: %s\n", s.Stopped, humanize.Many(s.Pages-s.Older, "page", "pages"), humanize.Seconds(s.Active), clusterCounts(s))
	tellAvoided(w, s.Totals, "")
	for _, what := range s.Away {
		fmt.Fprintf(w, "not counted: %s\n", what)
	}
	with := r.cluster.Named() + " --job " + s.Job
	if s.Stopped != string(gatecrawl.Done) {
		fmt.Fprintf(w, "go on with: crawl resume %s\n", with)
		return
	}
	fmt.Fprintf(w, "its pages are written to a file by: crawl export %s -o FILE\n", with)
}

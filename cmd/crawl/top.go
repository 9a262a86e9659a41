package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/humanize"
)

type hostRate = board.HostRate

// topOrders are the orders of the hosts of crawl top, the default first.
var topOrders = []string{"queue", "errors", "rate", "fetched", "retry", "hand", "parked", "harvest"}

func newTop() *cobra.Command {
	var dir, by string
	var limit int
	var asJSON bool
	var at cli.Cluster
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch a running crawl: rates, failures, hosts",
		Long: `top shows the progress of a running crawl, and its hosts: their queues, how fast they
answer, what they wait for. On a terminal the screen is redrawn every
second until Ctrl-C; otherwise it is printed once. With --cluster it shows a job of a
cluster, without the rates of single hosts.`,
		Example: `  crawl top --job news
  crawl top --job news --sort errors
  crawl top --job news --json | jq .pages_per_second`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&dir, "job", cli.DefaultJob, "the job's folder `DIR`, or its name in a cluster")
	at.Flags(cmd)
	cmd.Flags().StringVar(&by, "sort", topOrders[0], "list hosts by `WHAT`: "+strings.Join(topOrders, ", "))
	cmd.Flags().IntVar(&limit, "limit", 15, "list at most `N` hosts; 0 means all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, once")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !slices.Contains(topOrders, by) {
			return cli.Usagef("--sort: %q: want one of %s", by, strings.Join(topOrders, ", "))
		}
		if at.Given() {
			return topOfCluster(cmd, &at, clusterTop{job: dir, by: by, limit: limit}, asJSON)
		}
		t := &top{client: cli.Client(dir), by: by, limit: limit}
		if asJSON {
			l, err := t.live(cmd.Context())
			if err != nil {
				return topless(dir, err)
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(l)
		}
		return topless(dir, showLines(cmd, t.lines))
	}
	return cmd
}

// topless says what to do if no crawl runs.
func topless(dir string, err error) error {
	if errors.Is(err, control.ErrNotRunning) {
		return notRunning(err, dir, fmt.Sprintf(": crawl status --job %[1]s shows what it has, crawl run --job %[1]s goes on", cli.Quoted(dir)))
	}
	return err
}

// A top is what crawl top shows.
type top struct {
	client *control.Client
	by     string
	limit  int
}

// showLines prints lines once or, on a terminal, draws them each second until Ctrl-C or the crawl ends,
// of which an error tells that is control.ErrNotRunning.
func showLines(cmd *cobra.Command, lines func(ctx context.Context, width int) ([]string, error)) error {
	s := console.NewScreen(cmd.OutOrStdout())
	if !s.Watched() {
		text, err := lines(cmd.Context(), 160)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(text, "\n"))
		return err
	}
	ctx, stop := cli.UntilInterrupt(cmd.Context(), io.Discard, "", func() {})
	defer stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	drawn := false
	for {
		text, err := lines(ctx, s.Columns())
		switch {
		case ctx.Err() != nil:
			s.Keep()
			return nil
		case drawn && errors.Is(err, control.ErrNotRunning):
			s.Keep()
			fmt.Fprintln(s, "the crawl has ended")
			return nil
		case err != nil:
			return err
		}
		s.Show(text...)
		drawn = true
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// live asks the running crawl.
func (t *top) live(ctx context.Context) (l control.Live, err error) {
	err = askRunning(ctx, t.client, control.Question{Verb: "live", Limit: max(t.limit, 10)}, func(got control.Live) error {
		l = got
		return nil
	})
	return l, err
}

// askRunning asks the running crawl a question, and calls take with each line of the answer.
func askRunning[T any](ctx context.Context, c *control.Client, q control.Question, take func(T) error) error {
	answer, err := c.AskRunning(ctx, q)
	if err != nil {
		return err
	}
	defer answer.Close()
	_, err = control.Each(answer, take)
	return err
}

// lines returns the lines of the screen.
func (t *top) lines(ctx context.Context, width int) ([]string, error) {
	l, err := t.live(ctx)
	if err != nil {
		return nil, err
	}
	lines := liveText(l, time.Now())
	if p := l.Progress; p != nil {
		lines[0] = bar(p.Share, 12) + " " + lines[0]
	}
	lines = wrapped(lines, width)
	q := control.Question{Verb: "hosts", Limit: t.limit}
	switch t.by {
	case "errors":
		q.By = string(frontier.HostsByFailures)
	case "rate":
		names := make([]string, 0, len(l.Hosts))
		for _, h := range l.Hosts {
			names = append(names, h.Name)
		}
		q.URL = strings.Join(names, "\n")
	default:
		q.By = t.by
	}
	rates := make(map[string]hostRate, len(l.Hosts))
	for _, h := range l.Hosts {
		rates[h.Name] = h
	}
	var hosts []gatecrawl.HostState
	if t.by != "rate" || q.URL != "" {
		if err := askRunning(ctx, t.client, q, func(h gatecrawl.HostState) error { hosts = append(hosts, h); return nil }); err != nil {
			return nil, err
		}
	}
	if t.by == "rate" {
		slices.SortStableFunc(hosts, func(a, b gatecrawl.HostState) int { return cmp.Compare(rates[b.Name].Pages, rates[a.Name].Pages) })
	}
	if t.limit > 0 {
		hosts = hosts[:min(len(hosts), t.limit)]
	}
	return hostLines(lines, hosts, rates, t.by, l.Totals.Harvest != nil, width)
}

// hostLines appends a table of hosts to lines: with how fast they are, unless rates is nil, and how
// relevant, if rated.
func hostLines(lines []string, hosts []gatecrawl.HostState, rates map[string]hostRate, by string, rated bool, width int) ([]string, error) {
	now := time.Now()
	var b strings.Builder
	narrow := width < 80
	columns := []string{"HOST", "QUEUED", "FETCHED", "PAGES/MIN", "TOOK", "FAILED", "NOW"}
	const speed, speedEnd = 3, 5 // the columns that rates has
	if rates == nil {
		columns = slices.Delete(columns, speed, speedEnd)
	}
	if rated {
		columns = slices.Insert(columns, 3, "RELEVANCE")
	}
	if narrow {
		columns = []string{"HOST", "QUEUED", "PER MIN", "NOW"}
	}
	table := console.NewTable(&b, columns...)
	for _, h := range hosts {
		r := rates[h.Name]
		perMin, took := "", ""
		if r.Pages > 0 {
			perMin, took = fmt.Sprintf("%.0f", r.PerMin), fmt.Sprintf("%d ms", r.TookMS)
		}
		if narrow {
			table.Row(cutTo(h.Name, max(16, width/3)), humanize.Count(h.Queued), perMin, hostWaits(h, now))
			continue
		}
		cells := []string{cutTo(h.Name, min(40, width*3/10)), humanize.Count(h.Queued), humanize.Count(h.Fetched), perMin, took, unlessNone(int64(h.Failures), "in a row", "in a row"), hostWaits(h, now)}
		if rates == nil {
			cells = slices.Delete(cells, speed, speedEnd)
		}
		if rated {
			cells = slices.Insert(cells, 3, relevanceOf(h))
		}
		table.Row(cells...)
	}
	if err := table.Flush(); err != nil {
		return nil, err
	}
	if len(hosts) == 0 {
		return append(lines, "", noHosts[by]), nil
	}
	lines = append(lines, "")
	for row := range strings.Lines(b.String()) {
		lines = append(lines, cutTo(strings.TrimRight(row, " \n"), width-1))
	}
	return lines, nil
}

// noHosts says what an empty list of hosts means.
var noHosts = map[string]string{
	"queue":   "no host has a URL in the queue",
	"errors":  "every host answers; crawl pages --verdict failed lists the pages that failed",
	"rate":    "no host had a page in the last minute",
	"fetched": "the job has no host yet",
	"retry":   "no URL is to be tried again",
	"hand":    "no host is being asked now",
	"parked":  "no host is parked",
	"harvest": "no host has answered with a page that was rated for a topic",
}

// relevanceOf returns the mean relevance of a host's answers; "": it has had none.
func relevanceOf(h gatecrawl.HostState) string {
	if h.Rated == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", h.Harvest)
}

// bar draws a share as a bar.
func bar(share float64, width int) string {
	n := int(share*float64(width) + .5)
	return "[" + strings.Repeat("#", n) + strings.Repeat(".", width-n) + "]"
}

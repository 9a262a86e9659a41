package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"gatecrawl.example/gatecrawl/crawl"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/demo"
	"gatecrawl.example/gatecrawl/testserver/score"
)

// demoDelay is the rest between two requests to one host of the demo: short
// enough for a few seconds in all, long enough to be seen at work.
const demoDelay = 10 * time.Millisecond

func newDemo() *cobra.Command {
	o := testserver.Demo()
	var dir string
	var folders []string
	var asJSON bool
	partitions, nodes := 0, 0
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Crawl a web on this machine and score the result against its truth",
		Long: `demo starts a web of its own on loopback addresses, with templates, copies,
mirrors, traps and faults, crawls it as run does, and scores the verdicts of the
gate against the truth. Nothing outside this machine is contacted. Mirrors are
crawled in full, as with run --mirrors watch, so that every copy gets a verdict.

With --nodes it crawls with that many nodes of a cluster in this process. Each has a
partition in a folder of its own, and the engine of crawl node connects them.

With --folder it serves folders of real pages instead, as testserver does: the truth has
the class of each page that is served in another template.`,
		Example: "  crawl demo\n  crawl demo --seed 7 --json\n  crawl demo --nodes 3\n  crawl demo --job demo && crawl dups --job demo\n" +
			"  crawl demo --folder manual --folder manual:layout",
		Args: cobra.NoArgs,
	}
	cmd.Flags().Uint64Var(&o.Seed, "seed", o.Seed, "decides every byte of the web; any `N` will do")
	cmd.Flags().StringArrayVar(&folders, "folder", nil, "serve a folder in place of the generated web, `DIR[:OPTIONS]`; may be given more than once")
	cmd.Flags().StringVar(&dir, "job", "", "keep the job in the folder `DIR`; without it the job is removed at the end")
	cmd.Flags().IntVar(&partitions, "partitions", 0, "cut the job into `N` partitions, as run does")
	cmd.Flags().IntVar(&nodes, "nodes", 0, "crawl with `N` nodes of a cluster, 2 to 9")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the summary as one JSON object")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case nodes == 0:
		case nodes < 2 || nodes > mostDemoNodes:
			return cli.Usagef("--nodes is %d: want 2 to %d", nodes, mostDemoNodes)
		case dir != "" || partitions != 0:
			return cli.Usagef("--job and --partitions do not go with --nodes: each node has a partition and a folder of its own")
		}
		if dir != "" && crawl.Exists(dir) {
			return cli.Usagef("%s holds a job already: give a new folder", dir)
		}
		remove := func() {}
		if dir == "" {
			tmp, err := os.MkdirTemp("", "crawl-demo")
			if err != nil {
				return err
			}
			dir, remove = tmp, func() { os.RemoveAll(tmp) }
		}
		defer remove()
		screen := console.NewScreen(cmd.ErrOrStderr())
		ctx, stop := cli.UntilInterrupt(cmd.Context(), screen, "stopping", remove)
		defer stop()
		if len(folders) > 0 {
			o.Hosts, o.Mirrors, o.Partial = 0, 0, 0
		}
		d, err := runDemo(ctx, o, folders, demoCrawl(dir, partitions, nodes, screen))
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(d)
		}
		return showDemo(cmd.OutOrStdout(), d)
	}
	return cmd
}

// mostDemoNodes limits --nodes, since each node opens a partition's files.
const mostDemoNodes = 9

// A demoRun crawls with settings, and calls read when the job is done.
type demoRun func(ctx context.Context, s configs.Settings, read func(in demo.Job, st gatecrawl.Status) error) error

// demoCrawl returns a function that crawls: on this machine with the wiring of run, or with nodes
// of a cluster.
func demoCrawl(dir string, partitions, nodes int, screen *console.Screen) demoRun {
	if nodes > 0 {
		return func(ctx context.Context, s configs.Settings, read func(demo.Job, gatecrawl.Status) error) error {
			return crawlWithNodes(ctx, dir, nodes, s, read)
		}
	}
	return func(ctx context.Context, s configs.Settings, read func(demo.Job, gatecrawl.Status) error) error {
		s.Partitions = partitions
		j := &job{dir: dir, settings: s, screen: screen}
		r, err := j.run(ctx)
		if err != nil {
			return err
		}
		if r.Ended != gatecrawl.Done {
			return cli.Silent(cli.CodeOfEnd(cli.End{Ended: r.Ended, Run: r.Run}))
		}
		st, err := cli.OpenToRead(dir)
		if err != nil {
			return err
		}
		return errors.Join(read(st, r.Status), st.Close())
	}
}

// runDemo starts the web, crawls it, and scores the result.
func runDemo(ctx context.Context, o testserver.Options, folders []string, crawlIt demoRun) (*demo.Result, error) {
	web, err := newWeb(o, folders)
	if err != nil {
		return nil, err
	}
	if err := web.Start(ctx); err != nil {
		return nil, err
	}
	defer web.Close()
	s := configs.Default()
	s.URL, s.Delay = web.Seeds(), configs.Duration(demoDelay)
	s.Mirrors, s.URLRulesLearn = mirror.ModeWatch, dust.LearnDefer // every copy in the web must get a verdict
	s.PriorityCash = 0                                             // so that only depth and votes affect the order, and the scores show the effect of votes
	start := time.Now()
	var d *demo.Result
	err = crawlIt(ctx, s, func(in demo.Job, st gatecrawl.Status) error {
		took := time.Since(start)
		var err error
		d, err = demo.Read(context.WithoutCancel(ctx), in, web, s.PriorityDepth)
		d.Seconds, d.Status = took.Seconds(), st
		return err
	})
	return d, err
}

// showDemo prints the summary.
func showDemo(w io.Writer, d *demo.Result) error {
	s, r := d.Status, d.Score
	t := console.NewTable(w)
	t.Row("fetched", fmt.Sprintf("%s of %s in %.1f s, %s", humanize.Many(s.Fetched, "page", "pages"), humanize.Many(s.Hosts, "host", "hosts"), d.Seconds, humanize.Size(s.Bytes)))
	t.Row("kept", humanize.Many(s.New, "document", "documents"))
	t.Row("copies", fmt.Sprintf("%s, votes for the pages that were kept: %s", humanize.Count(s.Copies), humanize.Count(s.Votes)))
	t.Row("  by level", humanize.Counts(cli.Levels(s.Levels)))
	t.Row("  by class", humanize.Counts(s.Classes))
	t.Row("refused", fmt.Sprintf("%s; URLs by rule: %s", humanize.Many(s.Refused, "page", "pages"), humanize.Counts(s.Rules)))
	t.Row("failed", fmt.Sprintf("%s; %s", humanize.Many(s.Failed, "page", "pages"), humanize.Counts(s.Reasons)))
	t.Row("mirrors", fmt.Sprintf("%d of %d known ones found", d.MirrorsFound, d.Mirrors))
	if err := t.Flush(); err != nil {
		return err
	}

	pairs := console.NewTable(w, "  shared", "overlap", "host", "pages", "host", "pages")
	for _, p := range d.Pairs[:min(len(d.Pairs), 5)] {
		pairs.Row("  "+humanize.Count(p.Shared), humanize.Percent(p.Overlap), p.A, humanize.Count(p.PagesA), p.B, humanize.Count(p.PagesB))
	}
	if err := pairs.Flush(); err != nil {
		return err
	}

	fmt.Fprintln(w, "order: the first pages after the seeds; what was found only on copies has 8,192 less, and comes last")
	first := console.NewTable(w, "  score", "verdict", "page")
	for _, p := range d.First {
		first.Row(fmt.Sprintf("  %.2f", p.Score), string(p.Verdict), p.URL)
	}
	if err := first.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "  %s raised by votes for the page that links there; their mean place\n  among pages of their host and depth is %.2f, where 0 is first and 0.50 no effect\n",
		humanize.Many(d.Raised, "page was", "pages were"), d.RaisedPlace)

	doc := console.NewTable(w, "against the truth", "precision", "recall", "claimed", "expected")
	for _, row := range []struct {
		name  string
		tally score.Tally
	}{{"exact copies", r.Exact}, {"near copies", r.Near}} {
		doc.Row(row.name, fmt.Sprintf("%.3f", row.tally.Precision()), fmt.Sprintf("%.3f", row.tally.Recall()),
			humanize.Count(row.tally.Claimed), humanize.Count(row.tally.Expected))
	}
	if err := doc.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "classes named right: %d of %d; documents lost: %d\n", r.ClassRight, r.Classed, r.Lost)
	classes := console.NewTable(w, "  copies with other bytes", "copies", "named so")
	for _, c := range slices.Sorted(maps.Keys(r.Named)) {
		classes.Row("  "+string(c), humanize.Count(r.Named[c].Copies), humanize.Count(r.Named[c].Right))
	}
	if err := classes.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "documents reached: %d of %d; against robots.txt: %d; fetched twice: %d\n",
		r.Fetched, r.Reachable, len(r.Forbidden), len(r.Twice))
	return nil
}

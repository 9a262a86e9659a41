package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/score"
)

// demoDelay is the rest between two requests to one host of the demo: short
// enough for a few seconds in all, long enough to be seen at work.
const demoDelay = 10 * time.Millisecond

func newDemo() *cobra.Command {
	o := testserver.Demo()
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Crawl a web on this machine and score the result against its truth",
		Long: `demo starts a web of its own on loopback addresses, with templates, copies,
mirrors, traps and faults, crawls it as run does, and compares what the gate
said with what is so. Nothing outside this machine is asked. Mirrors are watched
and not left out, as with run --mirrors watch, so that every copy is judged.`,
		Example: "  crawl demo\n  crawl demo --seed 7 --json\n  crawl demo --job demo && crawl dups --job demo",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().Uint64Var(&o.Seed, "seed", o.Seed, "decides every byte of the web; any `N` will do")
	cmd.Flags().StringVar(&dir, "job", "", "keep the job in the folder `DIR`; without it the job is removed at the end")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the summary as one JSON object")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if dir != "" && store.Exists(dir) {
			return usagef("%s holds a job already: give a new folder", dir)
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
		screen := newScreen(cmd.ErrOrStderr())
		ctx, stop := untilInterrupt(cmd.Context(), screen, "stopping", remove)
		defer stop()
		d, err := demo(ctx, o, dir, screen)
		if err != nil {
			return err
		}
		if asJSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(d)
		}
		return d.show(cmd.OutOrStdout())
	}
	return cmd
}

// A demonstration is what came of a demo.
type demonstration struct {
	Seconds float64          `json:"seconds"`
	Status  gatecrawl.Status `json:"status"`
	Score   score.Report     `json:"score"`

	ExactPrecision float64 `json:"exact_precision"`
	ExactRecall    float64 `json:"exact_recall"`
	NearPrecision  float64 `json:"near_precision"`
	NearRecall     float64 `json:"near_recall"`

	Pairs        []mirror.Pair `json:"pairs"`         // host pairs with shared copies
	Mirrors      int           `json:"mirrors"`       // mirrors that the web has
	MirrorsFound int           `json:"mirrors_found"` // of these, among the pairs
	First        []page.Record `json:"first"`         // the first pages in crawl order
	Raised       int           `json:"raised"`        // pages whose score votes for the linking page had raised
	RaisedPlace  float64       `json:"raised_place"`  // their mean place among the pages of their host and depth, 0 to 1; 0.5 is no effect
}

// demo crawls the web with the wiring of run.
func demo(ctx context.Context, o testserver.Options, dir string, screen *screen) (*demonstration, error) {
	web, err := testserver.New(o)
	if err != nil {
		return nil, usagef("%w", err)
	}
	if err := web.Start(ctx); err != nil {
		return nil, err
	}
	defer web.Close()
	s := configs.Default()
	s.URL, s.Delay = web.Seeds(), configs.Duration(demoDelay)
	s.Mirrors, s.URLRulesLearn = mirror.ModeWatch, dust.LearnDefer // every copy that the web has is to be judged
	j := &job{dir: dir, settings: s, screen: screen}
	began := time.Now()
	r, err := j.run(ctx)
	if err != nil {
		return nil, err
	}
	if r.Ended != gatecrawl.Done {
		return nil, silent(codeOfEnd(r.Ended, r.Run))
	}
	d := &demonstration{Seconds: time.Since(began).Seconds(), Status: r.Status}
	st, err := openToRead(dir)
	if err != nil {
		return nil, err
	}
	return d, errors.Join(d.read(context.WithoutCancel(ctx), st, web, s.PriorityDepth), st.Close())
}

// read fills in what the job says, and what the web says of it.
func (d *demonstration) read(ctx context.Context, in gatecrawl.Inspector, web *testserver.Web, perLink float32) error {
	var records []score.Record
	var order ranks
	err := in.Pages(ctx, 1, func(p page.Record) error {
		if p.Depth > 0 && len(d.First) < 10 {
			d.First = append(d.First, p)
		}
		order.add(p, perLink)
		if p.Status > 0 {
			records = append(records, score.Record{
				URL: p.URL, Copy: p.Verdict == page.VerdictCopy, Of: p.Of,
				Level: p.Level, Class: score.Class(p.Class),
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.Score = web.Score(records)
	d.ExactPrecision, d.ExactRecall = d.Score.Exact.Precision(), d.Score.Exact.Recall()
	d.NearPrecision, d.NearRecall = d.Score.Near.Precision(), d.Score.Near.Recall()
	if d.Pairs, err = in.Pairs(ctx); err != nil {
		return err
	}
	d.countMirrors(web)
	d.Raised, d.RaisedPlace = order.raised()
	return nil
}

// countMirrors looks for the web's mirrors among the pairs.
func (d *demonstration) countMirrors(web *testserver.Web) {
	hosts := make(map[string]string) // by the site's name
	for _, s := range web.Sites() {
		if u, err := weburl.Parse(s.URL); err == nil {
			hosts[s.Name] = u.Host()
		}
	}
	for _, m := range web.Truth().Mirrors {
		d.Mirrors++
		of, by := hosts[m.Of], hosts[m.By]
		if slices.ContainsFunc(d.Pairs, func(p mirror.Pair) bool {
			return p.A == of && p.B == by || p.A == by && p.B == of
		}) {
			d.MirrorsFound++
		}
	}
}

// ranks compare the places of pages that only votes can have put in order: those
// of one host, found equally deep.
type ranks struct {
	groups map[rankGroup][]bool // in crawl order: was the page raised?
}

type rankGroup struct {
	host  string
	depth int
}

// add takes the next page of the crawl order. Its score is above that of its
// depth where votes raised it, since the demo has no topic.
func (r *ranks) add(p page.Record, perLink float32) {
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return
	}
	if r.groups == nil {
		r.groups = make(map[rankGroup][]bool)
	}
	g := rankGroup{u.Host(), p.Depth}
	r.groups[g] = append(r.groups[g], p.Score > -perLink*float32(p.Depth))
}

// raised returns how many pages were raised, and their mean place from 0, first,
// to 1, last, of those that had anything to be compared with.
func (r *ranks) raised() (pages int, place float64) {
	compared := 0
	for _, group := range r.groups {
		for i, raised := range group {
			if !raised {
				continue
			}
			pages++
			if len(group) > 1 {
				compared++
				place += float64(i) / float64(len(group)-1)
			}
		}
	}
	return pages, place / float64(max(compared, 1))
}

// show prints the summary.
func (d *demonstration) show(w io.Writer) error {
	s, r := d.Status, d.Score
	t := newTable(w)
	t.row("fetched", fmt.Sprintf("%s of %s in %.1f s, %s", many(s.Fetched, "page", "pages"), many(s.Hosts, "host", "hosts"), d.Seconds, size(s.Bytes)))
	t.row("kept", many(s.New, "document", "documents"))
	t.row("copies", fmt.Sprintf("%s, votes for the pages that were kept: %s", count(s.Copies), count(s.Votes)))
	t.row("  by level", counts(levels(s.Levels)))
	t.row("  by class", counts(s.Classes))
	t.row("refused", fmt.Sprintf("%s; addresses by rule: %s", many(s.Refused, "page", "pages"), counts(s.Rules)))
	t.row("failed", fmt.Sprintf("%s; %s", many(s.Failed, "page", "pages"), counts(s.Reasons)))
	t.row("mirrors", fmt.Sprintf("%d of %d known ones found", d.MirrorsFound, d.Mirrors))
	if err := t.flush(); err != nil {
		return err
	}

	pairs := newTable(w, "  shared", "overlap", "host", "pages", "host", "pages")
	for _, p := range d.Pairs[:min(len(d.Pairs), 5)] {
		pairs.row("  "+count(int64(p.Shared)), percent(p.Overlap), p.A, count(int64(p.PagesA)), p.B, count(int64(p.PagesB)))
	}
	if err := pairs.flush(); err != nil {
		return err
	}

	fmt.Fprintln(w, "order: the first pages after the seeds")
	first := newTable(w, "  score", "verdict", "page")
	for _, p := range d.First {
		first.row(fmt.Sprintf("  %.2f", p.Score), string(p.Verdict), p.URL)
	}
	if err := first.flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "  %s raised by votes for the page that links there; their mean place\n  among pages of their host and depth is %.2f, where 0 is first and 0.50 no effect\n",
		many(d.Raised, "page was", "pages were"), d.RaisedPlace)

	doc := newTable(w, "against the truth", "precision", "recall", "claimed", "expected")
	for _, row := range []struct {
		name  string
		tally score.Tally
	}{{"exact copies", r.Exact}, {"near copies", r.Near}} {
		doc.row(row.name, fmt.Sprintf("%.3f", row.tally.Precision()), fmt.Sprintf("%.3f", row.tally.Recall()),
			count(int64(row.tally.Claimed)), count(int64(row.tally.Expected)))
	}
	if err := doc.flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "classes named right: %d of %d; documents lost: %d\n", r.ClassRight, r.Classed, r.Lost)
	fmt.Fprintf(w, "documents reached: %d of %d; against robots.txt: %d; fetched twice: %d\n",
		r.Fetched, r.Reachable, len(r.Forbidden), len(r.Twice))
	return nil
}

package inspect

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/export"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
)

func newDiff() *cobra.Command {
	var a cli.Asker
	var since string
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "List the pages that are new, changed, edited, moved or gone since a time",
		Long: `diff lists what a crawl and its re-crawls found since a time: pages that are new,
pages that changed and pages that were edited, with passages that only the new or
the old version has, and pages that redirect now or are gone. A page counts as edited if
its text has changed so little that the duplicate gate finds both versions the same:
the job keeps the first version, and the edits. Copies of other pages are left
out. It works while a crawl runs, too.`,
		Example: `  crawl diff --job news --since 24h
  crawl diff --job news --since 2026-03-01 --json | jq -r 'select(.what=="gone").url'`,
		Args: cobra.NoArgs,
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	cmd.Flags().StringVar(&since, "since", "24h", "from this `TIME` on: a day such as 2026-03-01, a time such as 2026-03-01T12:00:00Z, or 7d or 12h for how long ago")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		from, err := sinceOf(since, time.Now())
		if err != nil {
			return cli.Usagef("--since: %w", err)
		}
		if !a.Cluster.Given() && !crawl.Exists(a.Dir) {
			return cli.NoJob(a.Dir)
		}
		out, counts := cmd.OutOrStdout(), make(map[string]int)
		err = export.Diff(cmd.Context(), history{&a}, from, func(c export.Change) error {
			counts[c.What]++
			if a.AsJSON {
				return console.EncodeLine(out, c)
			}
			return showChange(out, c)
		})
		if err != nil || a.AsJSON {
			return err
		}
		_, err = fmt.Fprintf(cmd.ErrOrStderr(), "since %s: %d new, %d changed, %d edited, %d moved, %d gone\n", humanize.Moment(from),
			counts[export.ChangeNew], counts[export.ChangeChanged], counts[export.ChangeEdited], counts[export.ChangeMoved], counts[export.ChangeGone])
		return err
	}
	return cmd
}

// showChange prints a change for people.
func showChange(w io.Writer, c export.Change) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %s", c.What, c.URL)
	switch {
	case c.Reason != "":
		fmt.Fprintf(&b, "  %s", c.Reason)
	case c.Was != "":
		fmt.Fprintf(&b, "  %q, was %q", c.Title, c.Was)
	case c.Title != "":
		fmt.Fprintf(&b, "  %q", c.Title)
	}
	b.WriteByte('\n')
	if d := c.Differs; d != nil {
		for _, p := range d.Here {
			fmt.Fprintf(&b, "  + %s\n", strings.TrimSpace(p.Before+" ["+p.Text+"] "+p.After))
		}
		for _, p := range d.There {
			fmt.Fprintf(&b, "  - %s\n", strings.TrimSpace(p.Before+" ["+p.Text+"] "+p.After))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A history is a job, whether or not a crawl works on it, here or in a cluster.
type history struct{ *cli.Asker }

// Rows implements export.History.
func (h history) Rows(ctx context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	if h.Cluster.Given() {
		return h.Cluster.Rows(ctx, h.Dir, want, fn)
	}
	return cli.Client(h.Dir).Rows(ctx, want, fn)
}

// Pages implements export.History.
func (h history) Pages(ctx context.Context, fn func(page.Record) error) error {
	answer, err := h.Ask(ctx, control.Question{Verb: "pages"})
	if err != nil {
		return err
	}
	defer answer.Close()
	_, err = control.Each(answer, fn)
	return err
}

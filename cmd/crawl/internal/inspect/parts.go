package inspect

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
)

func newParts() *cobra.Command {
	var a cli.Asker
	limit := 0
	cmd := &cobra.Command{
		Use:   "parts",
		Short: "List kept pages that have parts of other kept pages",
		Long: `parts lists kept pages that have a part in common, two fifths of the page or more, with
another kept page although neither is a copy of the other: a page that contains a whole
article, one that quotes half of it, a list of articles. Below each page are the pages that
contain parts of it, with the share of it that they contain, and the pages of which it
contains parts, with the longest passages. A page with fewer than 50 words outside its links
is not compared.

A run finds these pages when it ends, unless it was started with --parts=false. With
--json it prints one object a page: url, part_of and contains. In a job with partitions
only pages of the same partition are compared.`,
		Example: "  crawl parts --job news\n  crawl parts --job news --json | jq -r 'select(.part_of[]?.share > .9).url'",
		Args:    jobAlone,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := listParts(&a, cmd, limit)
			if err == nil && !found {
				fmt.Fprintln(cmd.ErrOrStderr(), "no kept page is known to have a part of another: a run looks for them when it ends, unless it was started with --parts=false")
			}
			return err
		},
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	cmd.Flags().IntVar(&limit, "limit", 0, "at most `N` pages; 0 means no limit")
	return cmd
}

// jobAlone refuses arguments of a command about a job, and names the command for the user's own
// pages.
func jobAlone(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return cli.Usagef("%s: crawl %s is about a job (--job DIR); for other pages there is crawl dedup %s --%s", args[0], cmd.Name(), args[0], cmd.Name())
}

// A partsLine is what parts --json prints for a page.
type partsLine struct {
	URL      string      `json:"url"`
	PartOf   []page.Part `json:"part_of,omitempty"`
	Contains []page.Part `json:"contains,omitempty"`
}

// listParts prints the pages that have parts in common with others, at most most pages (0: all),
// and reports whether there are any.
func listParts(a *cli.Asker, cmd *cobra.Command, most int) (found bool, err error) {
	r, err := a.Ask(cmd.Context(), control.Question{Verb: "pages", Verdict: page.VerdictNew})
	if err != nil {
		return false, err
	}
	defer r.Close() // a job opened for reading has nothing to lose
	w := cmd.OutOrStdout()
	enc := json.NewEncoder(w)
	n := 0
	_, err = control.Each(r, func(p page.Record) error {
		if len(p.PartOf) == 0 && len(p.Contains) == 0 || most > 0 && n == most {
			return nil
		}
		found = true
		n++
		if a.AsJSON {
			return enc.Encode(partsLine{p.URL, p.PartOf, p.Contains})
		}
		var b strings.Builder
		fmt.Fprintln(&b, p.URL)
		ShowParts(&b, "  ", p)
		_, err := io.WriteString(w, b.String())
		return err
	})
	return found, err
}

// ShowParts lists the pages that have parts in common with one.
func ShowParts(b *strings.Builder, indent string, p page.Record) {
	other := func(x page.Part) string {
		if x.URL == p.URL {
			return "another version of this page"
		}
		return x.URL
	}
	for _, x := range p.PartOf {
		fmt.Fprintf(b, "%s%s of it is on %s\n", indent, humanize.Percent(x.Share), other(x))
		showPassages(b, indent+"  ", x)
	}
	for _, x := range p.Contains {
		fmt.Fprintf(b, "%sholds %s of %s\n", indent, humanize.Percent(x.Share), other(x))
		showPassages(b, indent+"  ", x)
	}
}

func showPassages(b *strings.Builder, indent string, x page.Part) {
	for _, t := range x.Passages {
		fmt.Fprintf(b, "%sboth: %s\n", indent, t.Text)
	}
}

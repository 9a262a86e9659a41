package inspect

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/frontier/seeds"
)

func newLinks() *cobra.Command {
	var a cli.Asker
	var limit int
	cmd := &cobra.Command{
		Use:   "links URL",
		Short: "Show which kept pages link to a URL, and what its page links to",
		Long: `links prints one line for each link from a kept page to the URL, which need not have been
fetched ("from"), and then one for each link on the URL's own page, if that is kept ("to"):
the URL at the other end, the anchor text, and marks such as nofollow. A template link is
one that the pages of the site repeat.

For pages crawled by a version without the link graph, crawl check --repair adds the links.
crawl export --format edges writes all links of a job.`,
		Example: "  crawl links --job site https://example.org/gone.html\n" +
			"  crawl links --job site https://example.org/ --json | jq -r .from",
		Args: cobra.ExactArgs(1),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		u, err := seeds.Parse(args[0])
		if err != nil {
			return cli.Usagef("%w", err)
		}
		return showEdges(&a, cmd, u.String(), limit)
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	cmd.Flags().IntVar(&limit, "limit", 0, "at most `N` links each way; 0 means no limit")
	return cmd
}

// showEdges shows the links to a URL, then those of its page.
func showEdges(a *cli.Asker, cmd *cobra.Command, url string, limit int) error {
	out := cmd.OutOrStdout()
	line := func(way, end string, e gatecrawl.Edge) error {
		text := ""
		if e.Text != "" {
			text = fmt.Sprintf("  %q", e.Text)
		}
		_, err := fmt.Fprintf(out, "%-4s  %s%s%s\n", way, end, text, special(e))
		return err
	}
	to, err := cli.Some(a, cmd, control.Question{Verb: "linksto", URL: url, Limit: limit}, func(e gatecrawl.Edge) error { return line("from", e.From, e) })
	if err != nil {
		return err
	}
	from, err := cli.Some(a, cmd, control.Question{Verb: "linksfrom", URL: url, Limit: limit}, func(e gatecrawl.Edge) error { return line("to", e.To, e) })
	if errors.Is(err, gatecrawl.ErrUnknown) && to {
		err = nil // it is not a kept page: it has no links to show
	}
	if err == nil && !to && !from {
		fmt.Fprintln(cmd.ErrOrStderr(), "no kept page links there, and its page has no links")
	}
	return err
}

// special names the unusual properties of a link.
func special(e gatecrawl.Edge) string {
	switch {
	case e.NoFollow && !e.Body:
		return "  (nofollow, template)"
	case e.NoFollow:
		return "  (nofollow)"
	case !e.Body:
		return "  (template)"
	}
	return ""
}

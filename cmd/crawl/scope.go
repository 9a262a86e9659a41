package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// scopeFlags are the settings that scope test takes.
var scopeFlags = []string{
	"url", "seeds", "contact", "scope", "surts", "include", "include-file", "exclude", "exclude-file",
	"max-parameters", "keep-session-ids", "depth", "allow-ports", "allow-loopback",
}

func newScopeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "scope",
		Short:   "Test whether a crawl would fetch URLs",
		Example: "  crawl scope test --job news https://example.org/2024/",
	}
	cmd.AddCommand(newScopeTest())
	return cmd
}

func newScopeTest() *cobra.Command {
	var dir string
	var asJSON bool
	depth := 1
	cmd := &cobra.Command{
		Use:   "test URL...",
		Short: "Test whether a crawl would fetch URLs, and which rule keeps them out",
		Long: `test prints for each URL whether a crawl with these settings would queue it, and if
not, which rule refuses it. If there is a job, its settings and seeds are used, and
flags override them. With - the URLs are read from standard input, one a line.

It sends no request, so it does not know robots.txt files, the IP addresses of hosts, or
what a crawl learns about duplicates. crawl robots tests a robots.txt; crawl why shows
the result of a URL in a crawl.`,
		Example: `  crawl scope test --url https://example.org/docs/ --scope prefix https://example.org/docs/a https://example.org/
  crawl scope test --job news --exclude '/tag/' - < urls.txt`,
		Args: cobra.MinimumNArgs(1),
	}
	given := cli.NewSettingFlags(cmd, scopeFlags)
	cmd.Flags().StringVar(&dir, "job", cli.DefaultJob, "take the settings and seeds of the job in the folder `DIR`, where there is one")
	cmd.Flags().IntVar(&depth, "links", depth, "assume that the URLs are `N` links away from the nearest seed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		base, roots := configs.Default(), []weburl.URL(nil)
		if crawl.Exists(dir) {
			var err error
			if base, err = crawl.SavedSettings(dir); err != nil {
				return err
			}
			if roots, err = rootsOf(cmd.Context(), dir); err != nil {
				return err
			}
		}
		s, err := given.Over(base)
		if err != nil {
			return err
		}
		test, err := crawl.NewScopeTest(s, roots, cmd.InOrStdin(), func(err error) { fmt.Fprintln(cmd.ErrOrStderr(), err) })
		if err != nil {
			return (&job{dir: dir, settings: s}).inFlags(err)
		}
		return tellScope(cmd, test, args, depth, asJSON)
	}
	return cmd
}

// rootsOf reads the URLs that define the scope of a job, also while a crawl works on it.
func rootsOf(ctx context.Context, dir string) (roots []weburl.URL, err error) {
	answer, err := cli.Ask(ctx, dir, control.Question{Verb: "roots"})
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	_, err = control.Each(answer, func(l control.RootLine) error {
		u, err := weburl.Parse(l.URL)
		roots = append(roots, u)
		return err
	})
	return roots, err
}

// tellScope prints for each URL whether it would be queued.
func tellScope(cmd *cobra.Command, test *crawl.ScopeTest, args []string, depth int, asJSON bool) error {
	out, bad := cmd.OutOrStdout(), 0
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for u, err := range cli.URLsOf(args, cmd.InOrStdin()) {
		if err != nil {
			bad++
			fmt.Fprintln(cmd.ErrOrStderr(), err)
			continue
		}
		as, r := test.Check(u, depth)
		if asJSON {
			if err := console.EncodeLine(out, struct {
				URL    string `json:"url"`
				Fetch  bool   `json:"fetch"`
				Rule   string `json:"rule,omitempty"`
				Reason string `json:"reason,omitempty"`
				As     string `json:"as,omitempty"`
			}{u.String(), r.IsZero(), r.Rule, r.Detail, differing(u, as)}); err != nil {
				return err
			}
			continue
		}
		what := "yes\t"
		switch {
		case !r.IsZero():
			what = "no\t" + r.Rule + ": " + r.Detail
		case test.Seed(u):
			what = "yes\ta seed"
		case u != as:
			what = "yes\tas " + as.String()
		}
		fmt.Fprintf(w, "%s\t%s\n", u, what)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if bad > 0 {
		return cli.Silent(cli.CodeFailure)
	}
	return nil
}

// differing returns b, or "" if it equals a.
func differing(a, b weburl.URL) string {
	if a == b {
		return ""
	}
	return b.String()
}

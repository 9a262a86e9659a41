package inspect

import (
	"fmt"
	"gatecrawl.example/gatecrawl/crawl"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/mirror/dust"
)

func newRules() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Show and change the URL rules that a job has learned",
		Long: `rules are differences between URLs that do not matter on a site: a parameter,
the order of parameters, all of a query, an index file, a slash at the end. A crawl learns them
from the pages that it fetches. It skips a URL whose page it has fetched under
another URL by a rule (crawl why URL names the rule; with --url-rules-learn defer
such URLs only come last). It fetches some of them all the same as spot checks, and
if a rule turns out to be wrong, everything that it skipped is queued again. What
was skipped is counted by kind in the summary and in crawl status.

A rule of the kind query is learned when a hundred URLs in a row that differ in their
query alone had the bytes of one page. Then one in sixteen of the others is fetched; if
one brings another page the rule ends, and what it skipped is queued again.`,
		Example: "  crawl rules list --job news",
	}
	cmd.AddCommand(newRulesList(), newRulesExplain(), newRulesTest(), newRulesExport(), newRulesImport(), newRulesRevoke())
	return cmd
}

// rulesOf reads all rules of a job, those that cover most pages first.
func rulesOf(cmd *cobra.Command, of cli.Asker) (rs []dust.Learned, err error) {
	of.AsJSON = false // each line is looked at
	err = cli.Each(&of, cmd, control.Question{Verb: "rules"}, func(r dust.Learned) error {
		rs = append(rs, r)
		return nil
	})
	slices.SortFunc(rs, func(a, b dust.Learned) int {
		if a.OK != b.OK {
			return int(b.OK) - int(a.OK)
		}
		return strings.Compare(a.Scope+a.Arg+a.ID, b.Scope+b.Arg+b.ID)
	})
	return rs, err
}

func newRulesList() *cobra.Command {
	var a cli.Asker
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the rules that are in use",
		Long: `list shows the rules by which URLs come last (defer) or are skipped (skip): how
many pages are evidence for and against each, the lower end of the 95% Wilson
interval, and how many URLs it has skipped. --all shows the other rules too.`,
		Example: "  crawl rules list --job news\n  crawl rules list --job news --all --json | jq 'select(.bad > 0)'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rs, err := rulesOf(cmd, a)
			if err != nil {
				return err
			}
			t := console.NewTable(cmd.OutOrStdout(), "rule", "tier", "for", "against", "sure", "left out", "means")
			watched, shown := 0, 0
			for _, r := range rs {
				if !all && r.Tier == dust.Watch.String() {
					watched++
					continue
				}
				shown++
				switch {
				case a.AsJSON:
					if err := console.EncodeLine(cmd.OutOrStdout(), r); err != nil {
						return err
					}
				default:
					t.Row(r.ID, r.Tier, humanize.Count(int64(r.OK)), humanize.Count(int64(r.Bad)), humanize.Percent(r.Lower), humanize.Count(int64(r.Skipped-r.Reopened)), r.Words)
				}
			}
			switch {
			case shown == 0 && watched > 0:
				fmt.Fprintf(cmd.ErrOrStderr(), "no rule is in use yet; %s with --all\n", humanize.Many(watched, "rule is shown", "rules are shown"))
			case shown == 0:
				fmt.Fprintln(cmd.ErrOrStderr(), "no rules")
			}
			return t.Flush()
		},
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "also show rules that are not in use yet, or no longer")
	return cmd
}

func newRulesExplain() *cobra.Command {
	var a cli.Asker
	cmd := &cobra.Command{
		Use:     "explain URL",
		Short:   "Explain what the rules say about a URL",
		Long:    "explain tells what would happen to a URL if it were found now: which other URL has\nthe same page by the rules, which rules these are, and the evidence for and against them.",
		Example: "  crawl rules explain --job news 'https://example.org/story?from=home'",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.EachOf(&a, cmd, "rule", args[0], func(e dust.Explained) error {
				return showExplained(cmd.OutOrStdout(), e)
			})
		},
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	return cmd
}

func showExplained(w io.Writer, e dust.Explained) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nURL template: %s\ndecision: %s\n", e.URL, e.Template, e.Decision)
	if e.Same != "" {
		fmt.Fprintf(&b, "fetched as %s\n", e.Same)
	}
	for _, r := range e.Rules {
		fmt.Fprintf(&b, "rule %s: %s\n     %s for it, %d against, right for %s or more\n",
			r.ID, r.Words, humanize.Many(int(r.OK), "page", "pages"), r.Bad, humanize.Percent(r.Lower))
		if r.Same[0] != "" {
			fmt.Fprintf(&b, "     the same: %s\n               %s\n", r.Same[0], r.Same[1])
		}
		if r.Differ[0] != "" {
			fmt.Fprintf(&b, "     not:      %s\n               %s\n", r.Differ[0], r.Differ[1])
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func newRulesTest() *cobra.Command {
	var a cli.Asker
	cmd := &cobra.Command{
		Use:   "test FILE",
		Short: "Find URLs of a list that have the same page by the rules",
		Long: `test reads a list of URLs, one a line (- is standard input), and says for each
whether it has the same page as an earlier one by the rules that skip URLs. A line
that is not a URL is reported and skipped; then the exit code is 1. Nothing is
fetched.`,
		Example: "  crawl rules test --job news urls.txt\n  cut -f1 log.tsv | crawl rules test --job news - --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rs, err := rulesOf(cmd, a)
			if err != nil {
				return err
			}
			in, name := cmd.InOrStdin(), "standard input"
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return cli.Usagef("%w", err)
				}
				defer f.Close()
				in, name = f, args[0]
			}
			return testRules(cmd.OutOrStdout(), cmd.ErrOrStderr(), rs, in, name, a.AsJSON)
		},
	}
	a.Flags(cmd)
	return cmd
}

func testRules(out, faults io.Writer, rs []dust.Learned, in io.Reader, name string, asJSON bool) error {
	trial := dust.NewListTrial(rs)
	bad := 0
	for seed, err := range seeds.Read(in, name) {
		if err != nil {
			fmt.Fprintln(faults, err)
			bad++
			continue
		}
		line := trial.Add(seed.URL)
		if asJSON {
			err = console.EncodeLine(out, line)
		} else if line.Same == "" {
			_, err = fmt.Fprintln(out, line.URL)
		} else {
			why := strings.Join(line.Rules, ", ")
			if why == "" {
				why = "the same URL"
			}
			_, err = fmt.Fprintf(out, "%s  = %s (%s)\n", line.URL, line.Same, why)
		}
		if err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("%s: %s could not be used", name, humanize.Many(bad, "line", "lines"))
	}
	return nil
}

func newRulesExport() *cobra.Command {
	var a cli.Asker
	cmd := &cobra.Command{
		Use:     "export",
		Short:   "Write the rules as JSON, for other jobs",
		Example: "  crawl rules export --job news > rules.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rs, err := rulesOf(cmd, a)
			if err != nil {
				return err
			}
			return dust.WriteRules(cmd.OutOrStdout(), rs, !a.AsJSON)
		},
	}
	a.Flags(cmd)
	cmd.Flags().Lookup("json").Usage = "write it on one line"
	return cmd
}

func newRulesImport() *cobra.Command {
	var a cli.Asker
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import the rules that another job has learned",
		Long: `import adds exported rules to a job, running or not, with the evidence for and
against them. Rules that the job has already stay as they are. If the job does not
exist it is made, so that its first crawl has the rules.`,
		Example: "  crawl rules import --job news2 rules.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rs, err := readRuleFile(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			return changeRules(&a, cmd, control.RuleChange{Import: rs})
		},
	}
	a.Flags(cmd)
	return cmd
}

func newRulesRevoke() *cobra.Command {
	var a cli.Asker
	cmd := &cobra.Command{
		Use:     "revoke RULE",
		Short:   "Revoke a rule for good",
		Long:    "revoke ends a rule of a job, running or not; list shows its name. What it skipped\nis queued again, and fetched when the crawl goes on.",
		Example: "  crawl rules revoke --job news 1f0a3c5d7e9b2468",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := dust.ParseID(args[0]); err != nil {
				return cli.Usagef("%w", err)
			}
			return changeRules(&a, cmd, control.RuleChange{Revoke: args[0]})
		},
	}
	a.Flags(cmd)
	return cmd
}

// readRuleFile reads an export; - is standard input.
func readRuleFile(stdin io.Reader, name string) ([]dust.Learned, error) {
	in := stdin
	if name == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return nil, cli.Usagef("%w", err)
		}
		defer f.Close()
		in = f
	}
	return dust.ReadRules(in, name, control.MaxRules)
}

// changeRules changes the rules of a job and prints what came of it.
func changeRules(a *cli.Asker, cmd *cobra.Command, c control.RuleChange) error {
	if c.Revoke != "" && !crawl.Exists(a.Dir) {
		return cli.NoJob(a.Dir)
	}
	came, err := cli.Client(a.Dir).ChangeRules(cmd.Context(), c)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	switch {
	case a.AsJSON && came.Revoked != "":
		return console.EncodeLine(out, struct {
			Revoked string `json:"revoked"`
		}{came.Revoked})
	case a.AsJSON:
		return console.EncodeLine(out, came)
	case came.Revoked != "":
		_, err = fmt.Fprintf(out, "rule %s is revoked; what it left out is queued again\n", came.Revoked)
	default:
		_, err = fmt.Fprintf(out, "%s imported, %d known before\n", humanize.Many(came.Imported, "rule", "rules"), came.Known)
	}
	return err
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
)

// rulesVersion is the form of what rules export writes.
const rulesVersion = 1

func newRules() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Show and change what a job has learned of its addresses",
		Long: `rules are differences between addresses that do not matter on a site: a parameter,
the order of parameters, an index file, a slash at the end. A crawl learns them
from what it fetches. It leaves addresses out that rules take for one that it has
fetched (crawl why URL names the rule, --url-rules-learn defer only puts them
off), fetches some all the same, and brings back what a rule left out that was
wrong. What it left out is counted by kind in the summary and in crawl status.`,
		Example: "  crawl rules list --job news",
	}
	cmd.AddCommand(newRulesList(), newRulesExplain(), newRulesTest(), newRulesExport(), newRulesImport(), newRulesRevoke())
	return cmd
}

// rulesOf reads all rules of a job, those that stand for most pages first.
func rulesOf(cmd *cobra.Command, dir string) (rs []dust.Learned, err error) {
	a := asker{dir: dir}
	err = each(&a, cmd, control.Question{Verb: "rules"}, func(r dust.Learned) error {
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
	var a asker
	var all bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the rules that do something",
		Long: `list shows the rules by which addresses are put off (defer) or left out (skip):
how many pages spoke for and against each, the lower end of the 95% Wilson
interval, and how many addresses it left out. --all shows the others too.`,
		Example: "  crawl rules list --job news\n  crawl rules list --job news --all --json | jq 'select(.bad > 0)'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rs, err := rulesOf(cmd, a.dir)
			if err != nil {
				return err
			}
			t := newTable(cmd.OutOrStdout(), "rule", "tier", "for", "against", "sure", "left out", "means")
			watched, shown := 0, 0
			for _, r := range rs {
				if !all && r.Tier == dust.Watch.String() {
					watched++
					continue
				}
				shown++
				switch {
				case a.asJSON:
					if err := encodeLine(cmd.OutOrStdout(), r); err != nil {
						return err
					}
				default:
					t.row(r.ID, r.Tier, count(int64(r.OK)), count(int64(r.Bad)), percent(r.Lower), count(int64(r.Skipped-r.Reopened)), r.Words)
				}
			}
			switch {
			case shown == 0 && watched > 0:
				fmt.Fprintf(cmd.ErrOrStderr(), "no rules do anything yet; %s with --all\n", many(watched, "rule is shown", "rules are shown"))
			case shown == 0:
				fmt.Fprintln(cmd.ErrOrStderr(), "no rules yet")
			}
			return t.flush()
		},
	}
	a.flags(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "show rules too that do nothing yet, or nothing any more")
	return cmd
}

func newRulesExplain() *cobra.Command {
	var a asker
	cmd := &cobra.Command{
		Use:     "explain URL",
		Short:   "Tell what the rules make of an address",
		Long:    "explain tells what would become of an address that was found now: the address\nthat rules take for the same, by which rules, and what speaks for and against them.",
		Example: "  crawl rules explain --job news 'https://example.org/story?from=home'",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachOf(&a, cmd, "rule", args[0], func(e dust.Explained) error {
				return showExplained(cmd.OutOrStdout(), e)
			})
		},
	}
	a.flags(cmd)
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
			r.ID, r.Words, many(int(r.OK), "page", "pages"), r.Bad, percent(r.Lower))
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

// A tested is what rules make of one line of a list.
type tested struct {
	URL   string   `json:"url"`
	Same  string   `json:"same,omitempty"` // an earlier line with the same page
	Rules []string `json:"rules,omitempty"`
}

func newRulesTest() *cobra.Command {
	var a asker
	cmd := &cobra.Command{
		Use:   "test FILE",
		Short: "Say which addresses of a list the rules take for one",
		Long: `test reads addresses, one a line, - is standard input, and says of each whether
the rules that leave addresses out take it for an earlier one of the list. What
is no address is told, and passed over; then the exit code is 1. Nothing is
fetched.`,
		Example: "  crawl rules test --job news urls.txt\n  cut -f1 log.tsv | crawl rules test --job news - --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rs, err := rulesOf(cmd, a.dir)
			if err != nil {
				return err
			}
			in, name := cmd.InOrStdin(), "standard input"
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return usagef("%w", err)
				}
				defer f.Close()
				in, name = f, args[0]
			}
			return testRules(cmd.OutOrStdout(), cmd.ErrOrStderr(), rs, in, name, a.asJSON)
		},
	}
	a.flags(cmd)
	return cmd
}

func testRules(out, faults io.Writer, rs []dust.Learned, in io.Reader, name string, asJSON bool) error {
	o := dust.DefaultOptions()
	o.Learn = dust.LearnSkip // what rules say is asked, and not what the job lets them do
	o.MaxRules = max(o.MaxRules, len(rs))
	book := dust.NewBook(o)
	for _, r := range rs {
		book.Put(r.Rule, r.Stats)
	}
	met := make(map[uint64][]weburl.URL)
	bad := 0
	for seed, err := range seeds.Read(in, name) {
		if err != nil {
			fmt.Fprintln(faults, err)
			bad++
			continue
		}
		u := seed.URL
		line := tested{URL: u.String()}
		template, forms := dust.Template(u), book.Forms(u, dust.Skip)
		for _, f := range forms {
			for _, v := range met[f] {
				ds, ok := dust.Compare(u, v)
				if tier, why, _ := book.Judge(ds, template); ok && tier == dust.Skip && line.Same == "" {
					line.Same = v.String()
					for _, r := range why {
						line.Rules = append(line.Rules, r.ID().String())
					}
				}
			}
		}
		if line.Same == "" {
			for _, f := range forms {
				met[f] = append(met[f], u)
			}
		}
		if asJSON {
			err = encodeLine(out, line)
		} else if line.Same == "" {
			_, err = fmt.Fprintln(out, line.URL)
		} else {
			_, err = fmt.Fprintf(out, "%s  = %s (%s)\n", line.URL, line.Same, strings.Join(line.Rules, ", "))
		}
		if err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("%s: %s could not be used", name, many(bad, "line", "lines"))
	}
	return nil
}

// A ruleFile is what export writes and import reads.
type ruleFile struct {
	Version int            `json:"version"`
	Rules   []dust.Learned `json:"rules"`
}

func newRulesExport() *cobra.Command {
	var a asker
	cmd := &cobra.Command{
		Use:     "export",
		Short:   "Write the rules as JSON, for other jobs",
		Example: "  crawl rules export --job news > rules.json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rs, err := rulesOf(cmd, a.dir)
			if err != nil {
				return err
			}
			for i := range rs { // pages are this job's own
				rs[i].Same, rs[i].Differ = [2]string{}, [2]string{}
			}
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetEscapeHTML(false)
			if !a.asJSON {
				enc.SetIndent("", " ")
			}
			return enc.Encode(ruleFile{rulesVersion, rs})
		},
	}
	a.flags(cmd)
	cmd.Flags().Lookup("json").Usage = "write it on one line"
	return cmd
}

func newRulesImport() *cobra.Command {
	var a asker
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Take over the rules that another job learned",
		Long: `import adds the rules of an export to a job, running or not, with what is known
for and against them. Rules that the job has stay as they are. Where there is
no job it is begun, so that its first crawl has the rules.`,
		Example: "  crawl rules import --job news2 rules.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rs, err := readRuleFile(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			return a.change(cmd, control.RuleChange{Import: rs})
		},
	}
	a.flags(cmd)
	return cmd
}

func newRulesRevoke() *cobra.Command {
	var a asker
	cmd := &cobra.Command{
		Use:     "revoke RULE",
		Short:   "End a rule for good",
		Long:    "revoke ends a rule of a job, running or not; list shows its name. What it left out\nis queued again, and fetched when the crawl goes on.",
		Example: "  crawl rules revoke --job news 1f0a3c5d7e9b2468",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := dust.ParseID(args[0]); err != nil {
				return usagef("%w", err)
			}
			return a.change(cmd, control.RuleChange{Revoke: args[0]})
		},
	}
	a.flags(cmd)
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
			return nil, usagef("%w", err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, control.MaxRules+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > control.MaxRules {
		return nil, fmt.Errorf("%s: more than %d bytes", name, control.MaxRules)
	}
	var file ruleFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s:%d: want what crawl rules export writes: %w", name, dust.ErrorLine(text, err), err)
	}
	if file.Version != rulesVersion {
		return nil, fmt.Errorf("%s: rules of version %d; this program reads %d", name, file.Version, rulesVersion)
	}
	for i, r := range file.Rules {
		if err := r.Rule.Validate(); err != nil {
			return nil, fmt.Errorf("%s: rule %d: %w", name, i+1, err)
		}
		if r.Distinct > r.OK {
			return nil, fmt.Errorf("%s: rule %d: %d distinct pages of %d", name, i+1, r.Distinct, r.OK)
		}
	}
	return file.Rules, nil
}

// change changes the rules of a job and prints what came of it.
func (a *asker) change(cmd *cobra.Command, c control.RuleChange) error {
	if c.Revoke != "" && !store.Exists(a.dir) {
		return fmt.Errorf("no job at %s", a.dir)
	}
	came, err := client(a.dir).ChangeRules(cmd.Context(), c)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	switch {
	case a.asJSON && came.Revoked != "":
		return encodeLine(out, struct {
			Revoked string `json:"revoked"`
		}{came.Revoked})
	case a.asJSON:
		return encodeLine(out, came)
	case came.Revoked != "":
		_, err = fmt.Fprintf(out, "rule %s is revoked; what it left out is queued again\n", came.Revoked)
	default:
		_, err = fmt.Fprintf(out, "%s taken over, %d known before\n", many(came.Imported, "rule", "rules"), came.Known)
	}
	return err
}

// tellRules says which entries of users' lists are not followed: the first few,
// and how many there are.
func (j *job) tellRules() func(error) {
	const shown = 5
	n := 0
	return func(err error) {
		if n++; n <= shown {
			fmt.Fprintln(j.screen, err)
		}
		if n == shown+1 {
			fmt.Fprintln(j.screen, "more entries of these lists are not followed")
		}
	}
}

// tellAvoided says in a line what learned rules and mirrors saved in the job; when says
// in which runs.
func tellAvoided(w io.Writer, t page.Totals, when string) {
	avoided, m := make(map[string]int64), t.Mirrors
	maps.Copy(avoided, t.Avoided)
	mirrored := t.Rules[gatecrawl.RuleMirror]
	if t.Rules[gatecrawl.RuleDust]+t.Reopened+mirrored+m["reopened"] == 0 {
		return
	}
	if mirrored > 0 {
		avoided[gatecrawl.RuleMirror] = mirrored
	}
	kinds := ""
	if len(avoided) > 0 {
		kinds = " (" + counts(avoided) + ")"
	}
	fmt.Fprintf(w, "not fetched as known duplicates%s: %s%s; spot checks %s, wrong %s, queued again %s\n",
		when, count(t.Rules[gatecrawl.RuleDust]+mirrored), kinds, count(t.Explored+m["explored"]), count(t.Wrong+m["wrong"]), count(t.Reopened+m["reopened"]))
}

package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/topics"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
)

func newStatus() *cobra.Command {
	var a cli.Asker
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show a job's counters and rates",
		Long: `status shows a job's counters and rates. Of the five hosts with the longest queues it names
those that rest for longer than the delay between two requests, since they ask for that with a
Crawl-delay or a Retry-After, or are slow. crawl top shows all hosts of a running crawl. With
--cluster no host is named.`,
		Example: "  crawl status --job news\n  crawl status --job news --json | jq .pages_per_second",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.Each(&a, cmd, control.Question{Verb: "status"}, func(s gatecrawl.Status) error {
				hosts, err := slowHosts(&a, cmd, s)
				if err != nil {
					return err
				}
				return showStatus(cmd.OutOrStdout(), s, hosts)
			})
		},
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	return cmd
}

func newPages() *cobra.Command {
	var a cli.Asker
	q := control.Question{Verb: "pages"}
	verdict := ""
	cmd := &cobra.Command{
		Use:     "pages",
		Short:   "List the records of pages in crawl order",
		Example: "  crawl pages --job news --verdict failed --host example.org\n  crawl pages --job news --json | jq -r 'select(.verdict==\"copy\") | .of'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch v := page.Verdict(verdict); v {
			case "", page.VerdictNew, page.VerdictCopy, page.VerdictRefused, page.VerdictFailed:
				q.Verdict = v
			default:
				return cli.Usagef("--verdict: there is no verdict %q: want new, copy, refused or failed", verdict)
			}
			return cli.List(&a, cmd, q, "no such pages", func(p page.Record) error { return cli.ShowPage(cmd.OutOrStdout(), p) })
		},
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	cmd.Flags().StringVar(&verdict, "verdict", "", "only pages with this `VERDICT`: new, copy, refused or failed")
	cmd.Flags().StringVar(&q.Host, "host", "", "only pages of `HOST`, with its port if that is not the scheme's default")
	cmd.Flags().StringVar(&q.Rule, "rule", "", "only pages that this `RULE` refused, as crawl status names them")
	cmd.Flags().StringVar(&q.Reason, "reason", "", "only pages that failed for this `REASON`, such as \"http 404 not found\"")
	cmd.Flags().IntVar(&q.Status, "status", 0, "only pages with this HTTP `STATUS`; 0: all")
	cmd.Flags().Float32Var(&q.Relevance, "relevance", 0, "only pages of a focused crawl with this `RELEVANCE` or more, 0 to 1")
	cmd.Flags().IntVar(&q.Limit, "limit", 0, "at most `N` pages; 0 means no limit")
	cmd.Flags().Uint64Var(&q.From, "from", 1, "start at place `N` of the crawl order")
	return cmd
}

func newDups() *cobra.Command {
	var a cli.Asker
	q := control.Question{Verb: "dups"}
	differs := false
	cmd := &cobra.Command{
		Use:     "dups",
		Short:   "List groups of copies: the kept page, then its copies",
		Long:    "dups lists each kept page that has copies, and its copies. With --diff near copies\nare followed by the longest passages that only they or only the kept page have, and\nkept pages with parts of others are listed at the end, as crawl parts does.",
		Example: "  crawl dups --job news\n  crawl dups --job news --json | jq 'select(.degree > 1) | .url'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := cli.List(&a, cmd, q, "no copies", func(g gatecrawl.Group) error { return showGroup(cmd.OutOrStdout(), g, differs) })
			if err == nil && differs && !a.AsJSON {
				_, err = listParts(&a, cmd, q.Limit)
			}
			return err
		},
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	cmd.Flags().IntVar(&q.Limit, "limit", 0, "at most `N` groups, and with --diff as many pages with parts of others; 0 means no limit")
	cmd.Flags().BoolVar(&differs, "diff", false, "show what near copies do not share with the kept page")
	return cmd
}

func newWhy() *cobra.Command {
	var a cli.Asker
	cmd := &cobra.Command{
		Use:     "why URL",
		Short:   "Show everything that is known about one URL",
		Long:    "why shows where a URL was found, its score term by term, when it was\nfetched, and what the gate decided and why: of a kept page also the pages that it\nresembles most and is no copy of. crawl near --apart lists them all.",
		Example: "  crawl why --job news https://example.org/2024/story.html",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.EachOf(&a, cmd, "why", args[0], func(w gatecrawl.Why) error {
				if err := showWhy(cmd.OutOrStdout(), w); err != nil || w.Page == nil {
					return err
				}
				if err := showApart(&a, cmd, *w.Page); err != nil || w.Page.Relevance == 0 {
					return err
				}
				return topics.ShowRating(&a, cmd, *w.Page)
			})
		},
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	return cmd
}

func newCheck() *cobra.Command {
	var a cli.Asker
	repair := false
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check a job, and repair what is damaged",
		Long: `check verifies the invariants of a job's files. It prints each breach, and the exit
code is 1 if there is any. With --json the last line says what was checked.

--repair needs a job on which no crawl runs. It first rebuilds what is derived (the
index, the filter, queue, votes and counts). A page whose data are altered or missing
leaves the job together with its copies, and their URLs are queued again. Of a file
that was cut short it saves what the remaining part contains. What was done goes to
stderr; lost documents are counted there, and make the exit code 1.`,
		Example: "  crawl check --job news\n  crawl check --job news --repair",
		Args:    cobra.NoArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var lost error
		if repair && a.Cluster.Given() {
			return cli.Usagef("--repair does not go with --cluster: stop the node that has the damaged partition, delete the folder of that, and start the node again: it makes the folder from the log of the engine")
		}
		if repair {
			var done store.Repaired
			err := cli.Client(a.Dir).Take(cmd.Context(), func() (err error) {
				done, err = repairJob(cmd, a.Dir)
				return err
			})
			if err != nil {
				return err
			}
			lost = lostIn(a.Dir, done)
		}
		damaged := (*crawl.DamagedSettingsError)(nil)
		if !repair && !a.Cluster.Given() { // a repair has said what became of them
			if _, err := crawl.SavedSettings(a.Dir); !errors.As(err, &damaged) && err != nil {
				return err
			}
		}
		breaches, err := checkJob(&a, cmd, damaged)
		if errors.Is(err, control.ErrCutOff) { // now the job's files can be asked
			breaches, err = checkJob(&a, cmd, damaged)
		}
		switch {
		case err != nil || breaches == 0:
			return errors.Join(err, lost)
		case repair:
			return errors.Join(lost, fmt.Errorf("%s in %s: run crawl check --repair once more; if it stays so, keep the folder for a report, and start a new job", humanize.Many(breaches, "invariant still does not hold", "invariants still do not hold"), a.Dir))
		}
		if a.Cluster.Given() {
			return fmt.Errorf("%s in job %s: stop the node that has the damaged partition, delete the folder of that, and start the node again: it makes the folder from the log of the engine", humanize.Many(breaches, "invariant does not hold", "invariants do not hold"), a.Dir)
		}
		if inPartitions(a.Dir) {
			return fmt.Errorf("%s in %s, which is in partitions and cannot be repaired: crawl export DIR/archive, with each DIR of %s, reads the pages that are whole; start the job again in another folder",
				humanize.Many(breaches, "invariant does not hold", "invariants do not hold"), a.Dir, filepath.Join(a.Dir, "partitions.json"))
		}
		return fmt.Errorf("%s in %s: stop the crawl if one is running, and run crawl check --job %s --repair", humanize.Many(breaches, "invariant does not hold", "invariants do not hold"), a.Dir, cli.Quoted(a.Dir))
	}
	a.Flags(cmd)
	a.ClusterFlags(cmd)
	cmd.Flags().BoolVar(&repair, "repair", false, "repair the job first")
	return cmd
}

func inPartitions(dir string) bool { return crawl.Exists(dir) && !store.Exists(dir) }

// repairJob repairs a job with the settings that it was crawled with.
func repairJob(cmd *cobra.Command, dir string) (store.Repaired, error) {
	tell := func(b gatecrawl.Breach) error {
		_, err := fmt.Fprintf(cmd.ErrOrStderr(), "repair: %s: %s\n", b.Invariant, b.Detail)
		return err
	}
	if inPartitions(dir) {
		return store.Repaired{}, fmt.Errorf("job %s is in partitions, and cannot be repaired yet: check it without --repair, and start it again in another folder if it is damaged", dir)
	}
	s, err := crawl.SavedSettings(dir)
	damaged := (*crawl.DamagedSettingsError)(nil)
	if err != nil && !errors.As(err, &damaged) {
		return store.Repaired{}, err
	}
	if damaged != nil {
		s, _ = crawl.CopiedSettings(dir) // its error is the repair's business: the file of the job may not be readable yet
	}
	done, err := store.Repair(cmd.Context(), dir, s.StoreOptions(), tell)
	if err != nil || damaged == nil {
		return done, err
	}
	found, err := crawl.RestoreSettings(dir)
	if err != nil {
		return done, err
	}
	if !found {
		return done, tell(gatecrawl.Breach{Invariant: "the settings",
			Detail: fmt.Sprintf("%s, and there is no copy of them: give them by crawl run --job %s --config FILE", damaged.Problem, cli.Quoted(dir))})
	}
	return done, tell(gatecrawl.Breach{Invariant: "the settings", Detail: damaged.Problem + ", and written again as the last run had them"})
}

// lostIn says which documents a repair could not save, and how to get them again.
func lostIn(dir string, r store.Repaired) error {
	again := fmt.Sprintf("their URLs are queued again, as far as they are known: crawl run --job %s fetches them; seeds that are given again are added where they are missing", cli.Quoted(dir))
	if r.URLs == 0 {
		again = fmt.Sprintf("no URL is known any more: give the seeds again with crawl run --job %s -u URL", cli.Quoted(dir))
	}
	archive := filepath.Join(dir, "archive")
	if kept, err := filepath.Glob(filepath.Join(archive, "*.warc*")); err == nil && len(kept) > 0 {
		again += fmt.Sprintf("; %[1]s has the bytes of those whose files are whole, which crawl export %[1]s reads", cli.Quoted(archive))
	}
	saved := humanize.Many(int(r.Documents), "document is saved", "documents are saved")
	switch {
	case r.Uncertain && r.Lost == 0:
		return fmt.Errorf("%s; how many there were is not known, and some may be lost: %s", saved, again)
	case r.Uncertain:
		return fmt.Errorf("%s, and at least %s lost, as far as can be told: %s", saved, humanize.Many(int(r.Lost), "page is", "pages are"), again)
	case r.Lost > 0:
		return fmt.Errorf("%s, and %s lost: %s", saved, humanize.Many(int(r.Lost), "document is", "documents are"), again)
	}
	return nil
}

// checkJob prints the answer to check and counts the breaches in it. Damaged settings, with which no run
// starts, are one too.
func checkJob(a *cli.Asker, cmd *cobra.Command, settings *crawl.DamagedSettingsError) (breaches int64, err error) {
	out, through := cmd.OutOrStdout(), a.AsJSON
	enc := json.NewEncoder(out)
	lines := *a
	lines.AsJSON = false // each line is looked at
	show := func(b gatecrawl.Breach) error {
		if through {
			return enc.Encode(b)
		}
		_, err := fmt.Fprintf(out, "%s: %s\n", b.Invariant, b.Detail)
		return err
	}
	err = cli.Each(&lines, cmd, control.Question{Verb: "check"}, func(line struct {
		*gatecrawl.Breach
		*gatecrawl.Verified
	}) error {
		if line.Verified != nil && settings != nil {
			if err := show(gatecrawl.Breach{Invariant: "the settings", Detail: settings.Problem + ": no run starts without them"}); err != nil {
				return err
			}
			line.Breaches++
		}
		switch {
		case line.Breach != nil:
			return show(*line.Breach)
		case line.Verified != nil && through:
			breaches = line.Breaches
			return enc.Encode(line.Verified)
		case line.Verified != nil:
			breaches = line.Breaches
			return showVerified(out, *line.Verified)
		}
		return nil
	})
	return breaches, err
}

// Package topics has the commands about the topic of a focused crawl: its words, its pages, and the
// examples that correct it.
package topics

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority/focus"
)

// HarvestText says how much of its topic a focused crawl has found.
func HarvestText(h *page.Harvest) string {
	return fmt.Sprintf("%s of %s on the topic (%s); of the last 100 %s [%.0f, %.0f]",
		humanize.Count(h.OnTopic), humanize.Many(h.Answers, "answer", "answers"), humanize.Percent(h.Share()), humanize.Percent(h.Last), 100*h.Low, 100*h.High)
}

// BestText lists hosts with the number and mean relevance of their answers.
func BestText(hosts []gatecrawl.HostState, most int) string {
	var parts []string
	for _, h := range hosts[:min(most, len(hosts))] {
		parts = append(parts, fmt.Sprintf("%s %.2f of %s", h.Name, h.Harvest, humanize.Count(h.Rated)))
	}
	return strings.Join(parts, ", ")
}

// Text describes the topic of a job and its model.
func Text(a *gatecrawl.TopicState) string {
	if a == nil {
		return "what was learned of it is not saved"
	}
	text := "examples alone"
	if a.Topic != "" {
		text = fmt.Sprintf("%q", a.Topic)
	}
	switch {
	case a.Model > 0:
		text += fmt.Sprintf(", model %d of %s for it and %s against it; the next at %s", a.Model,
			humanize.Many(a.For, "example", "examples"), humanize.Count(a.Against), humanize.Many(a.Next, "kept page", "kept pages"))
	case a.TooFew:
		text += fmt.Sprintf(", without a model: fewer than three examples for it so far; tried again at %s", humanize.Many(a.Next, "kept page", "kept pages"))
	default:
		text += fmt.Sprintf(", without a model before %s", humanize.Many(a.Next, "page is kept", "pages are kept"))
	}
	if a.Like+a.Unlike > 0 {
		text += fmt.Sprintf("; given: %d for, %d against", a.Like, a.Unlike)
	}
	return text
}

// GapsText says what of the topic was not found so far, which examples were not fetched, and what to do about it.
func GapsText(a *gatecrawl.TopicState) (lines []string) {
	if a == nil {
		return nil
	}
	if n := len(a.Unfetched); n > 0 {
		lines = append(lines, fmt.Sprintf("%s not fetched so far, such as %s: a URL that -u names too is fetched first",
			humanize.Many(int64(n), "URL for --like or --unlike was", "URLs for --like or --unlike were"), a.Unfetched[0]))
	}
	g := a.Gaps
	if len(g.Words) > 0 {
		lines = append(lines, fmt.Sprintf("no page on the topic has %s: if these are words for something else, or in another language, a crawl with them alone looks for their pages first",
			quoted(g.Words)))
	}
	for _, l := range g.Languages {
		lines = append(lines, fmt.Sprintf("%s of the pages, copies not counted, are in another language (%s), and hardly any of them is on the topic: words in that language, or pages for --like, would say which are",
			humanize.Percent(l.Share), l.Language))
	}
	return lines
}

// quoted returns words in quotation marks, so that they cannot be taken for words of the message.
func quoted(words []string) string {
	var each []string
	for _, w := range words {
		each = append(each, `"`+w+`"`)
	}
	return strings.Join(each, " or ")
}

// EndText says when the topic ends the crawl; "" if it does not.
func EndText(a *gatecrawl.TopicState, h *page.Harvest) string {
	var ends []string
	if a.StopTail > 0 {
		ends = append(ends, fmt.Sprintf("when the last 100 answers bring less than %s of what the best 100 brought (stop-tail); now %s",
			humanize.Percent(a.StopTail), humanize.Percent(h.Fall())))
	}
	if a.StopAfter > 0 {
		ends = append(ends, fmt.Sprintf("after %s on the topic (stop-after-relevant)", humanize.Many(a.StopAfter, "page", "pages")))
	}
	return strings.Join(ends, ", or ")
}

// Of reads what a job has learned about its topic.
func Of(dir string) (*focus.Judge, error) {
	j, err := crawl.ReadJudge(filepath.Join(dir, crawl.TopicFile))
	if errors.Is(err, fs.ErrNotExist) && !crawl.Exists(dir) {
		return nil, cli.NoJob(dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the job %s has learned no topic: give one with crawl run --job %s --topic WORDS", dir, cli.Quoted(dir))
	}
	return j, err
}

// ShowRating shows how a kept page is rated by what is known of the topic now, and which rating counts if its record has
// another one.
func ShowRating(a *cli.Asker, cmd *cobra.Command, p page.Record) error {
	url := p.URL
	j, err := Of(a.Dir)
	if err != nil {
		return nil // no model is saved
	}
	err = cli.Each(a, cmd, control.Question{Verb: "view", URL: url}, func(v control.View) error {
		d := gatecrawl.DocOf(url, v.DocView)
		r := j.Rate(d)
		w := cmd.OutOrStdout()
		now, recorded := fmt.Sprintf("%.2f", r.Relevance), fmt.Sprintf("%.2f", p.Relevance)
		if now == recorded {
			fmt.Fprint(w, "topic: ")
		} else {
			fmt.Fprintf(w, "topic: relevance %s by what is learned now: it counts when a run comes to its end, until then the %s above does\n       ", now, recorded)
		}
		fmt.Fprintf(w, "the topic's words say %.2f", r.Query)
		if r.Learned {
			fmt.Fprintf(w, ", model %d says %.2f\n      ", j.About().Model, r.Model)
			for _, x := range j.Why(d, 8) {
				fmt.Fprintf(w, " %+.2f %s", x.Weight, console.OneLine(x.Word))
			}
		}
		_, err := fmt.Fprintln(w)
		return err
	})
	if errors.Is(err, gatecrawl.ErrUnknown) {
		return nil // the page is not kept
	}
	return err
}

// New returns crawl focus.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "focus",
		Short: "Train, show and correct the model of a focused crawl's topic",
		Long: `focus shows and corrects what a focused crawl (crawl run --topic, --like, --topic-model)
knows about its topic: the words that its model uses, the pages that it finds, and examples.`,
		Example: `  crawl run --job birds --topic "birds" -u URL
  crawl focus words --job birds
  crawl focus top --job birds --unsure --limit 20
  crawl focus label --job birds URL no`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("focus %s: want train, words, top, label, eval or try", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newFocusTrain(), newFocusWords(), newFocusTop(), newFocusLabel(), newFocusEval())
	return cmd
}

func newFocusTrain() *cobra.Command {
	var s configs.Settings
	out := ""
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train a model of a topic on examples, for --topic-model",
		Long: `train trains a model on pages, folders of pages, jobs, WARC files or JSON lines: those of --like
are on the topic, those of --unlike are not. It prints how well the model tells the two
kinds apart on pages that it was not trained on (AUC: 0.5 is chance, 1 is perfect), and the
words with the highest weights.`,
		Example: "  crawl focus train --like good/ --unlike bad/ -o birds.model\n  crawl run --job b2 --topic-model birds.model -u URL",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return cli.Usagef("--output: name the file that the model is written to")
			}
			for _, name := range slices.Concat(s.Like, s.Unlike) {
				if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
					return cli.Usagef("%s: train fetches nothing: want a file or folder here, or crawl run --like URL, which fetches the page", name)
				}
			}
			like, err := crawl.Examples(s.Like)
			if err != nil {
				return fmt.Errorf("like: %w", err)
			}
			unlike, err := crawl.Examples(s.Unlike)
			if err != nil {
				return fmt.Errorf("unlike: %w", err)
			}
			j, err := focus.New(s.Topic, like, unlike)
			if err != nil {
				return err
			}
			if a := j.About(); a.Model == 0 {
				return fmt.Errorf("%s and %s are too few for a model: give five of each", humanize.Many(len(like), "example for the topic", "examples for the topic"), humanize.Many(len(unlike), "against it", "against it"))
			}
			w := cmd.OutOrStdout()
			fmt.Fprintf(w, "%s for the topic, %d against it\n", humanize.Many(len(like), "example", "examples"), len(unlike))
			if auc, ok := focus.CrossValidate(like, unlike); ok {
				fmt.Fprintf(w, "AUC of pages that were left out: %.3f\n", auc)
			} else {
				fmt.Fprintln(w, "not tested on pages that were left out: that takes six examples of each, with words in common")
			}
			if err := ShowWords(w, j, 20); err != nil {
				return err
			}
			return cli.WriteFile(out, func(f *os.File) error { return j.Save(f) })
		},
	}
	cmd.Flags().StringArrayVar(&s.Like, "like", nil, "pages on the topic, in this `FILE` or folder; may be given more than once")
	cmd.Flags().StringArrayVar(&s.Unlike, "unlike", nil, "pages that are not, in this `FILE` or folder; may be given more than once")
	cmd.Flags().StringVar(&s.Topic, "topic", "", "`WORDS` of the topic, which count as well")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the model to `FILE`")
	return cmd
}

// ShowWords prints the words with the highest weights for a topic, and against it.
func ShowWords(w io.Writer, j *focus.Judge, n int) error {
	most, least := j.Words(n)
	if len(most)+len(least) == 0 {
		_, err := fmt.Fprintln(w, "there is no model yet: only the topic's own words count")
		return err
	}
	for _, list := range [][]focus.Word{most, least} {
		var parts []string
		for _, x := range list {
			parts = append(parts, fmt.Sprintf("%+.1f %s", x.Weight, console.OneLine(x.Word)))
		}
		if _, err := fmt.Fprintln(w, strings.Join(parts, "  ")); err != nil {
			return err
		}
	}
	return nil
}

func newFocusWords() *cobra.Command {
	dir, n, asJSON := cli.DefaultJob, 20, false
	cmd := &cobra.Command{
		Use:     "words [FILE]",
		Short:   "List the words that a topic's model uses",
		Long:    "words lists the words with the highest weights for the topic, and against it, from a job\nor from a model in a file. 1 is the mean weight of the fifty strongest words.",
		Example: "  crawl focus words --job birds\n  crawl focus words birds.model",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var j *focus.Judge
			var err error
			switch {
			case len(args) == 1 && cmd.Flags().Changed("job"):
				return cli.Usagef("%s and --job %s: want one of them", args[0], dir)
			case len(args) == 1:
				j, err = crawl.ReadJudge(args[0])
			default:
				j, err = Of(dir)
			}
			if err != nil {
				return err
			}
			if n == 0 {
				n = math.MaxInt
			}
			if asJSON {
				most, least := j.Words(n)
				enc := json.NewEncoder(cmd.OutOrStdout())
				for _, w := range append(most, least...) {
					if err := enc.Encode(w); err != nil {
						return err
					}
				}
				return nil
			}
			return ShowWords(cmd.OutOrStdout(), j, n)
		},
	}
	cmd.Flags().StringVar(&dir, "job", cli.DefaultJob, "the job's folder `DIR`")
	cmd.Flags().IntVar(&n, "limit", 20, "at most `N` words of each side; 0 means no limit")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	return cmd
}

func newFocusTop() *cobra.Command {
	var a cli.Asker
	limit, below, unsure := 50, 0., false
	cmd := &cobra.Command{
		Use:     "top",
		Short:   "List kept pages by their relevance",
		Long:    "top lists the kept pages of a focused crawl, the most relevant first. With --unsure the\npages nearest to focus-threshold come first: their labels help most.",
		Example: "  crawl focus top --job birds\n  crawl focus top --job birds --unsure --limit 20",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return showTop(cmd, &a, limit, func(p page.Record, threshold float64) (rank float64, wanted bool) {
				r := float64(p.Relevance)
				if rank = r; unsure {
					rank = -math.Abs(r - threshold)
				}
				return rank, below == 0 || r < below
			})
		},
	}
	a.Flags(cmd)
	cmd.Flags().IntVar(&limit, "limit", 50, "at most `N` pages; 0 means no limit")
	cmd.Flags().Float64Var(&below, "below", 0, "only pages whose relevance is below `X`; 0 means no limit")
	cmd.Flags().BoolVar(&unsure, "unsure", false, "those nearest to focus-threshold first")
	return cmd
}

// showTop lists kept pages of a focused crawl, those with the highest rank first.
func showTop(cmd *cobra.Command, a *cli.Asker, limit int, rank func(p page.Record, threshold float64) (rank float64, wanted bool)) error {
	threshold := configs.Default().FocusThreshold
	if s, err := crawl.SavedSettings(a.Dir); err == nil {
		threshold = s.FocusThreshold
	}
	type ranked struct {
		page page.Record
		rank float64
	}
	lines := *a
	lines.AsJSON = false // they are sorted first
	var best []ranked
	err := cli.Each(&lines, cmd, control.Question{Verb: "pages", Verdict: page.VerdictNew}, func(p page.Record) error {
		r := ranked{page: p}
		wanted := false
		if r.rank, wanted = rank(p, threshold); !wanted || p.ReplacedBy != 0 {
			return nil
		}
		at, _ := slices.BinarySearchFunc(best, r, func(x, y ranked) int {
			return cmp.Or(cmp.Compare(y.rank, x.rank), cmp.Compare(x.page.Seq, y.page.Seq))
		})
		if limit > 0 && at >= limit {
			return nil
		}
		if best = slices.Insert(best, at, r); limit > 0 {
			best = best[:min(limit, len(best))]
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(best, func(r ranked) bool { return r.page.Relevance > 0 }) {
		if _, err := Of(a.Dir); err != nil {
			return err
		}
	}
	enc := json.NewEncoder(cmd.OutOrStdout())
	for _, r := range best {
		if p := r.page; a.AsJSON {
			err = enc.Encode(p)
		} else {
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%.2f  %s  %s\n", p.Relevance, p.URL, console.OneLine(p.Title))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func newFocusLabel() *cobra.Command {
	var a cli.Asker
	limit := 10
	cmd := &cobra.Command{
		Use:   "label [URL yes|no]",
		Short: "Make a kept page an example for the topic, or against it",
		Long: `label makes a kept page an example for or against the topic, from the next run on. A
second label replaces the first. Stop a running crawl first: the next run goes on where
it was.

Without a URL it lists the pages whose labels help most: those that are not examples yet
and whose relevance is nearest to focus-threshold.`,
		Example: "  crawl focus label --job birds\n  crawl focus label --job birds https://example.org/railway no",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 1:
				return cli.Usagef("%s: say whether the page is on the topic: yes or no", args[0])
			case len(args) > 2:
				return cli.Usagef("focus label: want one URL, and yes or no")
			case len(args) == 2 && args[1] != "yes" && args[1] != "no":
				return cli.Usagef("%s: want yes or no", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return label(cmd, a.Dir, args[0], args[1] == "yes", a.AsJSON)
			}
			j, err := Of(a.Dir)
			if err != nil {
				return err
			}
			err = showTop(cmd, &a, limit, func(p page.Record, threshold float64) (rank float64, wanted bool) {
				return -math.Abs(float64(p.Relevance) - threshold), !j.Labelled(p.URL)
			})
			if err == nil && !a.AsJSON {
				fmt.Fprintf(cmd.ErrOrStderr(), "say what one of them is: crawl focus label --job %s URL yes|no\n", cli.Quoted(a.Dir))
			}
			return err
		},
	}
	a.Flags(cmd)
	cmd.Flags().IntVar(&limit, "limit", limit, "without a URL: list at most `N` pages; 0 means no limit")
	return cmd
}

// label makes a kept page of a job an example, and prints that.
func label(cmd *cobra.Command, dir, url string, on, asJSON bool) (err error) {
	u, err := seeds.Parse(url)
	if err != nil {
		return cli.Usagef("%w", err)
	}
	if !crawl.Exists(dir) {
		return cli.NoJob(dir) // OpenToWrite would create one
	}
	var st crawl.Job
	err = cli.Client(dir).Take(cmd.Context(), func() (err error) {
		st, err = cli.OpenToWrite(dir)
		return err
	})
	if cli.IsLocked(err) {
		return fmt.Errorf("%w: stop the crawl, label the page, and go on", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	j, err := Of(dir)
	if err != nil {
		return err
	}
	view, err := st.View(cmd.Context(), u.String())
	if err != nil {
		return err
	}
	j.Label(gatecrawl.DocOf(u.String(), view), on)
	if err := crawl.WriteJudge(filepath.Join(dir, crawl.TopicFile), j); err != nil {
		return err
	}
	about := j.About()
	if asJSON {
		return console.EncodeLine(cmd.OutOrStdout(), struct {
			URL     string `json:"url"`
			OnTopic bool   `json:"on_topic"`
			Like    int    `json:"like"`
			Unlike  int    `json:"unlike"`
		}{u.String(), on, about.Like, about.Unlike})
	}
	side := "against"
	if on {
		side = "for"
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is an example %s the topic now (given: %d for, %d against); the model is trained again with the next page that a run keeps\n",
		u, side, about.Like, about.Unlike)
	return err
}

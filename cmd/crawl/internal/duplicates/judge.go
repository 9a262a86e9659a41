package duplicates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/control/guard"
	"gatecrawl.example/gatecrawl/corpus/labelled"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/dedup/exam"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/judge"
)

func newJudge() *cobra.Command {
	var j judgeCommand
	cmd := &cobra.Command{
		Use:   "judge",
		Short: "Judge a sample of a job's verdicts by hand, and estimate precision and recall",
		Long: `judge draws pairs of a job's pages and shows them side by side in a browser, with
the text that only one of them has marked. For each pair you say whether both are the same
document: keys S, N and U (unsure), B and F to go back and forth. The gate's verdict is
shown after your answer. Each answer is written to --answers at once; the same command
goes on where you stopped. Ctrl-C ends it and prints the estimate.

Half of the pairs are a copy and the page that the gate took it for a copy of. The other
half are a kept page and the earlier kept page that shares most with it, found in another
way than the gate's. More pairs are drawn where the gate is more likely to be
wrong, by level and similarity. Each answer counts for the pages of its stratum.

  precision  share of copies among the pages that the gate took for copies
  recall     share that the gate found of the pages that are copies
  lost       share of all pages that were taken for copies and are not
  missed     share of all pages that were kept and are copies

The brackets have 95% bounds; unsure answers, and strata without an answer, count for
the gate in one bound and against it in the other. A page is compared with only one other
page: a copy whose original is not the page most like it is not noticed. A kept page that
has no run of three words in common with an earlier one counts as not a copy. Copies of
documents of earlier crawls (--known) are left out, since the job does not have their texts.

The page is served on this machine only. crawl eval reads the answers as labelled
pairs, without pairs of a copy whose text was not kept (--dedup discard). The job does not
change, and a crawl may work on it.`,
		Example: "  crawl judge --job news --sample 200\n" +
			"  crawl judge --answers judged.jsonl --estimate\n" +
			"  crawl eval judged.jsonl --methods gate,simhash",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return j.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&j.Dir, "job", cli.DefaultJob, "the job's folder `DIR`")
	f.IntVar(&j.sample, "sample", 200, "judge `N` pairs")
	f.Uint64Var(&j.seed, "seed", 1, "draw other pairs by another `N`")
	f.StringVar(&j.answers, "answers", "judged.jsonl", "keep the answers in `FILE`")
	f.StringVar(&j.at, "at", "127.0.0.1:8901", "listen at `ADDRESS`, of this machine")
	f.BoolVar(&j.estimate, "estimate", false, "print the estimate of --answers, and ask nothing")
	f.BoolVar(&j.AsJSON, "json", false, "print the estimate as a JSON object")
	return cmd
}

// A judgeCommand has the flags of judge.
type judgeCommand struct {
	cli.Asker
	sample   int
	seed     uint64
	answers  string
	at       string
	estimate bool
}

// leastJudged is the smallest sample with pairs of each kind.
const leastJudged = 10

func (j *judgeCommand) run(cmd *cobra.Command) error {
	if j.sample < leastJudged {
		return cli.Usagef("--sample: %d: want %d pairs or more", j.sample, leastJudged)
	}
	if j.estimate {
		sheet, err := judge.OpenSheet(j.answers, nil)
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s: no answers yet: crawl judge --job DIR --answers %s asks for them", j.answers, j.answers)
		}
		if err != nil {
			return err
		}
		return j.show(cmd.OutOrStdout(), sheet.Estimate())
	}
	g, err := guard.New(j.at, "")
	if err != nil {
		return cli.Usagef("--at: %s is not of this machine: want 127.0.0.1:PORT; from another one use ssh -L 8901:127.0.0.1:8901", j.at)
	}
	if !crawl.Exists(j.Dir) {
		return cli.NoJob(j.Dir)
	}
	job := cli.Client(j.Dir)
	created, err := jobCreated(cmd.Context(), job)
	if err != nil {
		return err
	}
	if _, err := judge.OpenSheet(j.answers, &judge.Sample{Job: created}); err != nil { // checked before the texts are read
		return fmt.Errorf("--answers: %w", err)
	}
	screen := console.NewScreen(cmd.ErrOrStderr())
	if !screen.Watched() {
		fmt.Fprintln(screen, "reading the texts of all kept pages")
	}
	sample, err := judge.Draw(cmd.Context(), job, j.sample, j.seed, func(kept int) {
		if screen.Watched() {
			screen.Show("reading the texts of all kept pages: " + humanize.Count(kept))
		}
	})
	screen.Show()
	if err != nil {
		return err
	}
	sample.Job = created
	if sample.Known > 0 {
		fmt.Fprintf(screen, "left out: %s of documents of earlier crawls, whose texts are not in the job\n", humanize.Many(sample.Known, "copy", "copies"))
	}
	if len(sample.Pairs) == 0 {
		return fmt.Errorf("%s: there is nothing to judge: no copies, and no two pages that have words in common", j.Dir)
	}
	sheet, err := judge.OpenSheet(j.answers, sample)
	if err != nil {
		return err
	}
	if n := sample.Lost(); n > 0 {
		fmt.Fprintf(screen, "in %d of %s the text of the copy is not kept: a job that is crawled with --dedup mark keeps it; crawl eval leaves such pairs out\n",
			n, humanize.Many(len(sample.Pairs), "pair", "pairs"))
	}
	server := judge.NewServer(sample, sheet, g.FormToken(), wholePage(job))
	if err := j.serve(cmd, g.Wrap(server.Handler()), len(sample.Pairs)); err != nil {
		return err
	}
	return j.show(cmd.OutOrStdout(), sheet.Estimate())
}

// jobCreated returns when a job was created. This identifies the job even if its folder is moved.
func jobCreated(ctx context.Context, job *control.Client) (created string, err error) {
	answer, err := job.Ask(ctx, control.Question{Verb: "status"})
	if err != nil {
		return "", err
	}
	defer answer.Close()
	_, err = control.Each(answer, func(s gatecrawl.Status) error {
		created = s.Created.UTC().Format(time.RFC3339Nano)
		return nil
	})
	return created, err
}

// serve serves the page until Ctrl-C.
func (j *judgeCommand) serve(cmd *cobra.Command, h http.Handler, pairs int) error {
	l, err := net.Listen("tcp", j.at)
	if err != nil {
		return cli.Usagef("--at: %w", err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	ended := make(chan struct{})
	go func() { // ends when srv is closed
		defer close(ended)
		srv.Serve(l) // returns ErrServerClosed
	}()
	ctx, stop := cli.UntilInterrupt(cmd.Context(), cmd.ErrOrStderr(), "", func() {})
	defer stop()
	fmt.Fprintf(cmd.ErrOrStderr(), "%s to judge at http://%s/ until Ctrl-C; answers go to %s\n", humanize.Many(pairs, "pair", "pairs"), l.Addr(), j.answers)
	<-ctx.Done()
	srv.Close()
	<-ended
	return nil
}

// wholePage returns all text of a page whose bytes the job keeps.
func wholePage(job *control.Client) func(ctx context.Context, url string) (string, error) {
	return func(ctx context.Context, url string) (text string, err error) {
		answer, err := job.Ask(ctx, control.Question{Verb: "body", URL: url})
		if err != nil {
			return "", err
		}
		defer answer.Close()
		_, err = control.Each(answer, func(b control.Body) error {
			if b.Copy != nil {
				return errors.New("the bytes of a copy are not kept; its URL may still lead to the page")
			}
			text = labelled.WholeText(b.Body, b.Type)
			return nil
		})
		return text, err
	}
}

// show prints an estimate.
func (j *judgeCommand) show(w io.Writer, e judge.Estimate) error {
	if j.AsJSON {
		return console.EncodeLine(w, e)
	}
	if e.Answered == 0 {
		_, err := fmt.Fprintln(w, "nothing was answered")
		return err
	}
	fmt.Fprintf(w, "%s, %s unsure; %s, %s and %s like no other\n\n", humanize.Many(e.Answered, "answer", "answers"), humanize.Count(e.Unsure),
		humanize.Many(e.Copies, "copy", "copies"), humanize.Many(e.Kept, "kept page", "kept pages"), humanize.Count(e.Others))
	for _, l := range []struct {
		name string
		is   exam.Interval
	}{{"precision", e.Precision}, {"recall", e.Recall}, {"lost", e.Lost}, {"missed", e.Missed}} {
		value := fmt.Sprintf("%.3f", l.is.Value)
		if l.name == "recall" && e.Precision.Value == 0 && e.Missed.Value == 0 {
			value = "-" // no two pages are known to be the same
		}
		fmt.Fprintf(w, "%-10s %s (%.3f-%.3f)\n", l.name, value, l.is.Low, l.is.High)
	}
	fmt.Fprintln(w)
	t := console.NewTable(w, "stratum", "pages", "same", "not", "unsure", "share the same")
	for _, s := range e.Strata {
		if s.Pages == 0 {
			continue
		}
		share := "-"
		if s.Sure()+s.Unsure > 0 {
			share = fmt.Sprintf("%.3f (%.3f-%.3f)", s.Share.Value, s.Share.Low, s.Share.High)
		}
		t.Row(s.Name, humanize.Count(s.Pages), humanize.Count(s.Same), humanize.Count(s.Not), humanize.Count(s.Unsure), share)
	}
	return t.Flush()
}

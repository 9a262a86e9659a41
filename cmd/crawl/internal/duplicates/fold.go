package duplicates

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/fold"
	"gatecrawl.example/gatecrawl/humanize"
)

func newFold() *cobra.Command {
	var f folding
	cmd := &cobra.Command{
		Use:   "fold [FILE]",
		Short: "Remove repeats from a list of search results",
		Long: `fold reads a list of search results, one a line, from a FILE or standard input, and
prints it without its repeats: the best result of each group, and below it those that
repeat it. A line is a URL, or a JSON object
  {"url":"...","title":"...","snippet":"...","score":1.5}
in which only url is required. A CSV file whose first line names its columns (url, and title,
snippet, score, of, degree if it has them; separated by commas, semicolons or tabs) does too, and
lines that start with # are comments. Without scores the list is taken to be sorted, best first.
Lines that can't be read are reported and left out, and the exit code is then 1.

A result repeats a better one if their URLs differ only in scheme, www or index page, if it
is known to be a copy of that one ("of", or the job's verdict), or if their titles and
snippets have nearly the same words: the sets of their pairs of words resemble each other by
--threshold or more.

With --job what a line does not say is filled in from a job: title, the page that the URL's
page is a copy of, and its mirror degree, the number of other domains with a copy. Two pages
of the job are compared by their texts: if the sketches in its index estimate that these
resemble each other by --threshold or more, they are one; texts of fewer than 20 words are
not compared. Their titles and snippets decide only if the list has snippets of both.
--snippets fills in abstracts, which takes longer: they are made of the pages' texts.
--weight ranks groups of a higher degree before others: a group's rank is
score + weight x |score| x ln(1 + degree); in a list without scores the score is
1 / (60 + place).`,
		Example: "  crawl fold results.jsonl\n" +
			"  search harbour | crawl fold --job news --weight 0.2 --json",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, append(args, "-")[0]) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.dir, "job", "", "fill in what the job in `DIR` knows about the URLs")
	fs.Float64Var(&f.o.Least, "threshold", fold.DefaultLeast, "fold results whose texts, or titles and snippets, have this `RESEMBLANCE` or more, above 0 to 1")
	fs.Float64Var(&f.o.Weight, "weight", 0, "weight `W` of the mirror degree; 0 ignores it")
	fs.BoolVar(&f.snippets, "snippets", false, "with --job and --json: print the page's abstract where a line has no snippet")
	fs.BoolVar(&f.asJSON, "json", false, "print JSON, one object per group")
	return cmd
}

// A folding has the flags of fold.
type folding struct {
	dir      string
	o        fold.Options
	snippets bool
	asJSON   bool
}

func (f *folding) run(cmd *cobra.Command, name string) (err error) {
	if f.o.Least == 0 { // in Options the default
		return cli.Usagef("--threshold 0: want above 0 to 1")
	}
	if err := f.o.Validate(); err != nil {
		return cli.Usagef("--%w", err)
	}
	if f.snippets && (f.dir == "" || !f.asJSON) {
		return cli.Usagef("--snippets: want it with --job, which has the texts, and --json, which prints snippets")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(800))    // a process that ends with its answer: what it leaves would be collected three times
	out := bufio.NewWriterSize(cmd.OutOrStdout(), 1<<16) // a line each would be a thousand writes
	defer func() { err = errors.Join(err, out.Flush()) }()
	show := func(g fold.Group) error { return f.show(out, g) }
	faults := &cli.Faults{To: cmd.ErrOrStderr(), One: "more line that could not be read", More: "more lines that could not be read"}
	read := func() (_ []fold.Result, err error) {
		var in io.ReadCloser
		if in, name, err = corpus.Open(name, cmd.InOrStdin()); err != nil { // the name of standard input is -
			return nil, err
		}
		defer in.Close()
		results, err := readResults(in, name, faults)
		faults.End()
		if err == nil && len(results) == 0 {
			err = fmt.Errorf("no results in %s", name)
		}
		return results, err
	}
	if f.dir != "" {
		err = f.ask(cmd, read, show)
	} else {
		err = f.list(read, show)
	}
	if err == nil && faults.N > 0 {
		err = fmt.Errorf("left out: %s of %s; the others are folded", humanize.Many(faults.N, "line", "lines"), name)
	}
	return err
}

// list folds a list by what it says itself.
func (f *folding) list(read func() ([]fold.Result, error), show func(fold.Group) error) error {
	results, err := read()
	if err != nil {
		return err
	}
	groups, err := fold.List(results, f.o)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if err := show(g); err != nil {
			return err
		}
	}
	return nil
}

// ask lets a job fold the list, which is read while the job is opened.
func (f *folding) ask(cmd *cobra.Command, read func() ([]fold.Result, error), show func(fold.Group) error) error {
	if !crawl.Exists(f.dir) {
		return cli.NoJob(f.dir)
	}
	to := cli.Client(f.dir)
	to.Read = func() (control.Job, error) { return cli.OpenToLookUp(f.dir) }
	return to.Fold(cmd.Context(), func() (control.FoldRequest, error) {
		results, err := read()
		return control.FoldRequest{Results: results, Snippets: f.snippets, Options: f.o}, err
	}, show)
}

// show prints a group.
func (f *folding) show(w *bufio.Writer, g fold.Group) error {
	if f.asJSON {
		return console.EncodeLine(w, g)
	}
	w.WriteString(console.OneLine(g.URL))
	if g.Title != "" {
		w.WriteString("  ")
		w.WriteString(console.OneLine(g.Title))
	}
	if g.Degree > 0 {
		fmt.Fprintf(w, "  (on %s)", humanize.Many(g.Degree, "other site", "other sites"))
	}
	for _, m := range g.Folded {
		how := map[fold.How]string{fold.ByURL: "the same URL", fold.ByCopy: "a copy"}[m.How]
		if how == "" {
			how = fmt.Sprintf("%s %.2f", m.How, m.Similarity)
		}
		fmt.Fprintf(w, "\n  %s  (%s)", console.OneLine(m.URL), how)
	}
	return w.WriteByte('\n') // tells of any write that failed
}

package duplicates

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/corpus/labelled"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/exam"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/humanize"
)

func newEval() *cobra.Command {
	var e evalCommand
	cmd := &cobra.Command{
		Use:   "eval PAIRS|DIR|JOB|WARC...",
		Short: "Compare methods of finding copies on pages of your own",
		Long: `eval runs the gate and the published methods of duplicate detection over pages
whose copies are known, and prints for each method precision, recall and F1 with
95% confidence intervals, the F1 of its best threshold, documents signed in a
second of processor time, and bytes of signature per document. The second line says
where the truth comes from.

The pages are those of folders: each DIR is one site, and the methods are given
the texts of its .html, .htm and .txt files, each read by itself without what
looks like a template. --truth says which pages are copies:
  reader    the default: main parts that an independent reader finds, by main
            elements and other marks, or by what the pages of a site do not share.
            Copies are pairs whose sets of three-word shingles (in Chinese and
            the like, four characters) have a Jaccard coefficient of --threshold
            or more; for lists, the links count for half. Pages whose main
            part it cannot tell are left out and counted.
  FILE      lines "path<tab>path<tab>similarity, 0 to 1", complete: a pair that is not
            in it, or below --threshold, is not a copy
  circular  Jaccard coefficients of the texts that the methods are given, in
            shingles of three words or characters. It judges only the methods,
            and cannot show wrong texts, such as a site's frame taken for a page.
Of pages with equal main parts (circular: equal texts) only the first is used, since
any method should find those, unless --equal says otherwise; with a FILE all are used.

A JOB is a job folder, and its pages are those whose bytes it keeps; a WARC file
and lines {"url":"...","html":"..."} are read as crawl dedup does. Each host is a site
there, and --truth may be the .json that crawl testserver --truth writes: the copies
that it made. That file does not say which files of served folders are near copies.

With --raw the methods are given all text of a page, including its menus, instead
of purify's body: the truth stays the same.

Or PAIRS is a file of judged pairs; those with a label of --label or more are copies. It
has a JSON object per line, such as
  {"a":{"url":"...","html":"..."},"b":{"url":"...","text":"..."},"label":1}
  {"text1":"...","text2":"...","label":0}
or a table with tabs (a line per pair) or commas (.csv), whose first row names the
columns: a, b, label; text_a, html_b, text1, url2, left, doc1, score and the like
are understood, here as in JSON. Three columns need no names. With --dir the texts
are names of files in that folder, .html, .htm or .txt. Or it is a file of pairs
whose name ends in .pairs.tsv.gz, with its .sets.tsv.gz next to it: a set is the
pages of one text, a line "set path tokens" each; a pair of sets that are copies is
a line "set set similarity". --dir has the pages. Files may be compressed by gzip
or zstd; one of judged pairs may be - for standard input.

The second table has precision and recall by kind of pair and for the groups
that union-find makes of the pairs, and what a gate would do with the pages in
their order: how many it discards, the share of all pages that it discards
wrongly, and the share that it misses of the pages that resemble a kept one by
0.9 or more.

--experiment NAME repeats an experiment of the articles on these pages, and prints the
published figures too: --experiments lists them. --sweep tries other constants too
(docview: N and delta). The experiment tables needs no pages: it uses --size random
fingerprints.

Methods that learn from a collection learn from the pages of the test.

Intervals are Wilson intervals, or bootstrap intervals (200 resamples of the pages,
or of judged pairs) if those are wider. All figures except the speeds are the same
in every run.

methods
` + methodList(),
		Example: "  crawl eval saved-pages/\n" +
			"  crawl eval manual/ project/ --methods gate,simhash,bands --plot curves.svg\n" +
			"  crawl eval saved-pages/ --methods gate --truth copies.tsv\n" +
			"  crawl eval judged.jsonl.gz --label 2 --json\n" +
			"  crawl eval judged.csv --methods gate,jaccard\n" +
			"  crawl eval manual.pairs.tsv.gz --dir manual/\n" +
			"  crawl eval jobs/news --experiment docview --sweep\n" +
			"  crawl eval --experiment tables --size 10000000",
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&e.methods, "methods", "all", "`NAMES` of methods with commas between them, or all")
	fs.Float64Var(&e.Least, "threshold", 0, "`JACCARD` coefficient of copies, above 0 to 1; 0 is 0.8, and 0.5 for judged pairs")
	fs.Float64Var(&e.Label, "label", labelled.LeastLabel, "the least `LABEL` of copies in a file of judged pairs")
	fs.IntVar(&e.Sample, "sample", 10000, "take at most `N` pages, drawn by the hash of their path")
	fs.StringVar(&e.Dir, "dir", "", "folder `DIR` of the pages that a file of pairs names")
	fs.StringVar(&e.truth, "truth", string(labelled.Reader), "of folders, `WHOSE` truth: reader, circular, or a file of pairs")
	fs.BoolVar(&e.Equal, "equal", false, "take all pages of equal text, and not the first alone")
	fs.BoolVar(&e.Raw, "raw", false, "take all text of a page, what its site repeats too, and not purify's body")
	fs.BoolVar(&e.Main, "main", false, "take the text of a page's main, article or body element, and not purify's")
	fs.StringVar(&e.experiment, "experiment", "", "make the experiment `NAME` of an article")
	fs.BoolVar(&e.experiments, "experiments", false, "list the experiments")
	fs.BoolVar(&e.sweep, "sweep", false, "with --experiment: try other constants too")
	fs.IntVar(&e.size, "size", 0, "with --experiment tables: `N` random fingerprints in place of those of pages")
	fs.StringVar(&e.plot, "plot", "", "write precision over recall for all thresholds as SVG to `FILE`")
	fs.BoolVar(&e.asJSON, "json", false, "print JSON, one object a method")
	return cmd
}

// methodList names the methods for help.
func methodList() string {
	var b strings.Builder
	for _, m := range methods.All(labelled.LeastOfPages) {
		fmt.Fprintf(&b, "  %-18s %s\n", m.Name(), m.Source())
	}
	return strings.TrimRight(b.String(), "\n")
}

// An evalCommand has the flags of eval.
type evalCommand struct {
	labelled.Options
	truth   string
	methods string
	plot    string
	asJSON  bool

	experiment  string
	experiments bool // list them
	sweep       bool
	size        int // fingerprints
}

func (e *evalCommand) run(cmd *cobra.Command, args []string) error {
	if !(e.Least >= 0 && e.Least <= 1) {
		return cli.Usagef("--threshold: %g: want above 0 to 1, or 0 for the default", e.Least)
	}
	switch {
	case e.Label == 0 || math.IsNaN(e.Label):
		return cli.Usagef("--label: %g: want the least label of copies, such as 1; for labels of 0 and more 0 would be every pair, and where some are below it take -0.5 or 0.001", e.Label)
	case e.Sample < 2:
		return cli.Usagef("--sample: %d: want 2 pages or more", e.Sample)
	case e.experiments && len(args) > 0:
		return cli.Usagef("--experiments lists what there is: want --experiment NAME to run one on %s", args[0])
	case e.experiments:
		return listExperiments(cmd.OutOrStdout(), e.asJSON)
	case (e.sweep || e.size != 0) && e.experiment == "":
		return cli.Usagef("--sweep and --size are for --experiment")
	case e.size != 0 && (e.size < 1000 || e.size > 1<<28):
		return cli.Usagef("--size: %d: want 1000 to %d", e.size, 1<<28)
	case len(args) == 0 && e.experiment == "":
		return cli.Usagef("want pages: a folder, a job, a WARC file, lines of pages, or a file of judged pairs")
	}
	// A wrong name is refused before the pages are read; what the pages are
	// decides the threshold.
	if _, err := methods.Named(e.methods, labelled.LeastOfPages); err != nil {
		return cli.Usagef("--methods: %w", nearMethod(err))
	}
	faults := &cli.Faults{To: cmd.ErrOrStderr()}
	defer faults.End()
	e.Jobs = jobBytes(cmd)
	e.Truth = labelled.Truth(e.truth)
	e.Fault = faults.Tell
	if e.experiment != "" {
		if err := e.experimentOn(cmd, args); err != nil || faults.N == 0 {
			return err
		}
		return cli.Silent(cli.CodeFailure)
	}
	s, err := labelled.Read(e.Options, args, cmd.InOrStdin())
	var use *labelled.UseError
	if errors.As(err, &use) {
		return cli.Usagef("%w", err)
	}
	if err != nil {
		return err
	}
	judged := s.Truth == labelled.Judged
	switch {
	case !judged && cmd.Flags().Changed("label"):
		return cli.Usagef("--label is for judged pairs, and %s has none: --threshold says how much copies have in common", args[0])
	case judged && cmd.Flags().Changed("sample"):
		return cli.Usagef("--sample: all pairs of %s are taken", args[0])
	}
	known, err := methods.Named(e.methods, s.Least)
	if err != nil {
		return err
	}
	if err := s.TooFew(args); err != nil {
		return err
	}
	if err := e.examine(cmd.OutOrStdout(), s, known); err != nil {
		return err
	}
	if faults.N > 0 {
		return cli.Silent(cli.CodeFailure)
	}
	return nil
}

// aboutSet says in a line what was read.
func (e *evalCommand) aboutSet(s *labelled.Set) string {
	about := strings.Join(s.Names, ", ") + ": "
	docs, pairs := len(s.Test.Docs), humanize.Many(len(s.Test.Copies), "pair", "pairs")
	distinct := humanize.Count(s.Distinct)
	switch {
	case s.Truth == labelled.Judged:
		return about + fmt.Sprintf("%s of %s, %s labelled %g or more", humanize.Many(len(s.Test.Asked), "pair", "pairs"),
			humanize.Many(s.Pages, "page", "pages"), humanize.Count(len(s.Test.Copies)), e.Label)
	case s.Truth == labelled.Reader && !e.Equal:
		about += humanize.Many(s.Pages, "page", "pages") + fmt.Sprintf(", %s with main parts that differ", distinct)
	case (s.Truth == labelled.Circular || s.Truth == labelled.Server) && !e.Equal:
		about += humanize.Many(s.Pages, "page", "pages") + fmt.Sprintf(", %s of different text", distinct)
	case s.Truth == labelled.Listed && s.File == s.Names[0] && !e.Equal:
		about += humanize.Many(s.Pages, "page", "pages") + " of different text"
	default:
		about += humanize.Many(s.Pages, "page", "pages")
	}
	if docs < s.Distinct {
		about += fmt.Sprintf(", a sample of %s of them", humanize.Count(docs))
	}
	about += fmt.Sprintf(", %s of copies", pairs)
	switch {
	case s.Truth == labelled.Server:
		return about + fmt.Sprintf(": made so, with texts alike by %g or more", s.Least)
	case s.Truth == labelled.Reader:
		return about + fmt.Sprintf(": main parts that resemble each other by %g or more", s.Least)
	case s.Truth == labelled.Circular:
		return about + fmt.Sprintf(": exact Jaccard of 3-shingles >= %g", s.Least)
	case s.File == s.Names[0]:
		return about + " as listed"
	}
	return about + fmt.Sprintf(": listed at %g or more", s.Least)
}

// truthLine is truthOfSet, and what to do if copies are missing.
func truthLine(s *labelled.Set) string {
	return strings.Join(append([]string{truthOfSet(s)}, s.Remarks()...), "\n")
}

// truthOfSet says in a line who says which pages are copies.
func truthOfSet(s *labelled.Set) string {
	switch {
	case s.Truth == labelled.Judged:
		return "the labels in " + s.Names[0]
	case s.Truth == labelled.Server:
		truth := "the test server's, of the texts that it made: " + s.File
		if s.LeftOut > 0 {
			truth += fmt.Sprintf("; %s left out, which it does not name as documents", humanize.Many(s.LeftOut, "page is", "pages are"))
		}
		return truth
	case s.Truth == labelled.Circular:
		return "circular: the very texts that the methods are given; what was cut wrongly from the pages is not seen"
	case s.Truth == labelled.Listed && s.File == s.Names[0]:
		return "the sets and pairs of " + s.File
	case s.Truth == labelled.Listed:
		truth := "the pairs in " + s.File
		if s.Missing > 0 {
			truth += fmt.Sprintf("; %s not counted, with a page that is not here", humanize.Many(s.Missing, "pair is", "pairs are"))
		}
		return truth
	}
	truth := "the main parts that an independent reader finds, which are not the texts that the methods are given"
	if s.LeftOut > 0 {
		truth += fmt.Sprintf("; %s left out, whose main part it cannot tell", humanize.Many(s.LeftOut, "page is", "pages are"))
	}
	return truth
}

// examine runs the methods one by one, and prints each when it is done.
func (e *evalCommand) examine(out io.Writer, s *labelled.Set, known []methods.Method) error {
	var results []exam.Result
	show := e.tableRow
	if e.asJSON {
		show = e.jsonLine
	} else if err := e.tableHead(out, s); err != nil {
		return err
	}
	of := exam.NewExam(s.Test)
	for _, m := range known {
		r := of.Run(m)
		results = append(results, r)
		if err := show(out, s, r); err != nil {
			return err
		}
	}
	if !e.asJSON {
		if err := splitTable(out, s, results); err != nil {
			return err
		}
		if err := asCrawled(out, s, results); err != nil {
			return err
		}
	}
	if e.plot == "" {
		return nil
	}
	return writePlot(e.plot, e.aboutSet(s)+"\nTruth: "+truthOfSet(s), results)
}

func writePlot(name, title string, results []exam.Result) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(exam.Plot(f, title, results), f.Close())
}

func (e *evalCommand) jsonLine(out io.Writer, s *labelled.Set, r exam.Result) error {
	return console.EncodeLine(out, struct {
		Test   string `json:"test"`
		Truth  string `json:"truth"`
		Pages  int    `json:"pages"`
		Out    int    `json:"left_out"`
		Docs   int    `json:"docs"`
		Copies int    `json:"copies"`
		exam.Result
	}{e.aboutSet(s), truthOfSet(s), s.Pages, s.LeftOut, len(s.Test.Docs), len(s.Test.Copies), r})
}

func (e *evalCommand) tableHead(out io.Writer, s *labelled.Set) error {
	_, err := fmt.Fprintf(out, "%s\ntruth: %s\n\n%-17s %6s  %-19s  %-19s  %-19s  %-14s  %10s  %9s\n", e.aboutSet(s), truthLine(s),
		"method", "at", "precision", "recall", "F1", "best F1 at", "docs/cpu-s", "bytes/doc")
	return err
}

func (e *evalCommand) tableRow(out io.Writer, _ *labelled.Set, r exam.Result) error {
	all := r.Scores[0]
	best := "-"
	if r.Best.F1 > 0 {
		best = fmt.Sprintf("%.3f at %.3f", r.Best.F1, r.Best.Threshold)
	}
	_, err := fmt.Fprintf(out, "%-17s %6.3f  %-19s  %-19s  %-19s  %-14s  %10s  %9s\n", r.Method, r.Threshold,
		all.Precision.Text(all.Found), all.Recall.Text(all.Copies), all.F1.Text(all.Found+all.Copies),
		best, humanize.Count(int64(r.DocsPerSec)), humanize.Count(int64(r.BytesPerDoc+0.5)))
	return err
}

// splitTable prints precision and recall of the kinds of pairs that there are.
func splitTable(out io.Writer, s *labelled.Set, results []exam.Result) error {
	head := []string{"method"}
	shown := kindsMet(results)
	for i, k := range results[0].Scores {
		if shown[i] {
			head = append(head, fmt.Sprintf("%s (%s)", k.Split, humanize.Many(k.Copies, "pair", "pairs")))
		}
	}
	head = append(head, "groups", "grouped")
	crawled := s.Test.Asked == nil
	if crawled {
		head = append(head, "discarded", "wrongly", "missed")
	}
	fmt.Fprintln(out, "\nprecision and recall by kind of pair and of joined groups; what a gate does")
	t := console.NewTable(out, head...)
	for _, r := range results {
		row := []string{r.Method}
		for i, k := range r.Scores {
			if shown[i] {
				row = append(row, shareOf(k.Precision.Value, k.Found)+" "+shareOf(k.Recall.Value, k.Copies))
			}
		}
		g := r.Grouped
		row = append(row, humanize.Count(g.Groups), shareOf(g.Precision, g.Groups)+" "+shareOf(g.Recall, r.Scores[0].Copies))
		if c := r.Crawled; crawled {
			row = append(row, humanize.Count(c.Discarded), percentOf(c.Wrong, len(s.Test.Docs)), percentOf(c.Missed, c.Alike))
		}
		t.Row(row...)
	}
	return t.Flush()
}

// asCrawled says how the gate does with the resemblance that a crawl asks for,
// where the test is about another.
func asCrawled(out io.Writer, s *labelled.Set, results []exam.Result) error {
	asked := dedup.DefaultOptions().Resemblance
	at := slices.IndexFunc(results, func(r exam.Result) bool { return r.Method == "gate" })
	if at < 0 || s.Least == asked {
		return nil
	}
	p := exam.Point{Precision: 1}
	for _, next := range results[at].Curve { // by falling threshold
		if next.Threshold >= asked {
			p = next
		}
	}
	_, err := fmt.Fprintf(out, "\nthe gate at %.3f, as a crawl has it: precision %.3f, recall %.3f, F1 %.3f\n", asked, p.Precision, p.Recall, p.F1)
	return err
}

// kindsMet names the kinds that have copies, or pairs that a method took for copies. The first
// kind is all, which has a table of its own.
func kindsMet(results []exam.Result) []bool {
	met := make([]bool, len(results[0].Scores))
	for _, r := range results {
		for i, s := range r.Scores {
			met[i] = i > 0 && (met[i] || s.Copies > 0 || s.Found > 0)
		}
	}
	return met
}

// percentOf writes a part of n in percent, or - if n is 0.
func percentOf(part, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(part)/float64(n))
}

// shareOf writes a share of n, or - if n is 0.
func shareOf(share float64, n int) string {
	if n == 0 {
		return "-    "
	}
	return fmt.Sprintf("%.3f", share)
}

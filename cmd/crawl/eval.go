package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl/dedup"
	"gatecrawl/dedup/methods"
)

func newEval() *cobra.Command {
	var e evaluation
	cmd := &cobra.Command{
		Use:   "eval PAIRS|DIR...",
		Short: "Compare ways of telling copies on pages of your own",
		Long: `eval runs the gate and the published methods of duplicate detection over pages
whose copies are known, and prints for each method precision, recall and F1 with
95% confidence intervals, the F1 of its best threshold, documents signed a second
on one processor, and bytes of signature a document.

The pages are those of folders: each DIR is one site, and its .html, .htm and
.txt files are read without their template. Copies are then the pairs of pages
whose sets of three-word shingles (in Chinese and the like, three characters)
have a Jaccard coefficient of --threshold or more; all are found. Of pages with
equal texts the first is taken, since any method finds those, unless --equal
says otherwise.

Or PAIRS is a file of judged pairs, of which those with a label of --label or more
are copies: a JSON object a line, as
  {"a":{"url":"...","html":"..."},"b":{"url":"...","text":"..."},"label":1}
  {"text1":"...","text2":"...","label":0}
or a table with tabs (a line a pair) or commas (.csv), whose first row names the
columns: a, b, label; text_a, html_b, text1, url2, left, doc1, score and the like
are understood, here as in JSON. Three columns need no names. With --dir the texts
are names of files in that folder, .html, .htm or .txt. Or it is a file of pairs
whose name ends in .pairs.tsv.gz, with its .sets.tsv.gz beside it: a set is the
pages of one text, a line "set path tokens" each; a pair of sets that are copies is
a line "set set similarity". --dir has the pages. Files may be compressed by gzip
or zstd; one of judged pairs may be - for standard input.

The second table has precision and recall by kind of pair, those of the groups
that union-find makes of the pairs, and what a gate would do with the pages in
their order: how many it discards, the share of all pages that it discards
wrongly, and of the pages that are alike to 0.9 or more to one that it kept, the
share that it misses.

Methods that learn from a collection learn from the pages of the test.

Intervals are Wilson's, or where it is wider those of drawing the pages (of
judged pairs the pairs) 200 times anew. All figures but the speeds are the same
in every run.

methods
` + methodList(),
		Example: "  crawl eval saved-pages/\n" +
			"  crawl eval manual/ project/ --methods gate,simhash,bands --plot curves.svg\n" +
			"  crawl eval judged.jsonl.gz --label 2 --json\n" +
			"  crawl eval judged.csv --methods gate,jaccard\n" +
			"  crawl eval manual.pairs.tsv.gz --dir manual/",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, args) },
	}
	fs := cmd.Flags()
	fs.StringVar(&e.methods, "methods", "all", "`NAMES` of methods with commas between them, or all")
	fs.Float64Var(&e.least, "threshold", 0, "`JACCARD` coefficient of copies, above 0 to 1; 0 is 0.8, and 0.5 for judged pairs")
	fs.Float64Var(&e.label, "label", 1, "the least `LABEL` of copies in a file of judged pairs")
	fs.IntVar(&e.sample, "sample", 10000, "take at most `N` pages, drawn by the hash of their path")
	fs.StringVar(&e.dir, "dir", "", "folder `DIR` of the pages that a file of pairs names")
	fs.BoolVar(&e.equal, "equal", false, "take all pages of equal text, and not the first alone")
	fs.BoolVar(&e.main, "main", false, "take the text of a page's main, article or body element, and not purify's")
	fs.StringVar(&e.plot, "plot", "", "write precision over recall for all thresholds as SVG to `FILE`")
	fs.BoolVar(&e.asJSON, "json", false, "print JSON, one object a method")
	return cmd
}

// methodList names the methods for help.
func methodList() string {
	var b strings.Builder
	for _, m := range methods.All(leastOfPages) {
		fmt.Fprintf(&b, "  %-18s %s\n", m.Name(), m.Source())
	}
	return strings.TrimRight(b.String(), "\n")
}

// An evaluation has the flags of eval.
type evaluation struct {
	methods string
	least   float64
	label   float64
	sample  int
	dir     string
	equal   bool
	main    bool
	plot    string
	asJSON  bool
}

func (e *evaluation) run(cmd *cobra.Command, args []string) error {
	if e.least < 0 || e.least > 1 {
		return usagef("--threshold: %g: want above 0 to 1, or 0 for the default", e.least)
	}
	if e.sample < 2 {
		return usagef("--sample: %d: want 2 pages or more", e.sample)
	}
	// A wrong name is refused before the pages are read; what the pages are
	// decides the threshold.
	if _, err := methods.Named(e.methods, leastOfPages); err != nil {
		return usagef("--methods: %w", err)
	}
	s, err := e.source(cmd, args)
	if err != nil {
		return err
	}
	known, err := methods.Named(e.methods, s.least)
	if err != nil {
		return err
	}
	if len(s.test.Docs) < 2 {
		return fmt.Errorf("%s: no two pages to compare", strings.Join(args, ", "))
	}
	if err := e.examine(cmd.OutOrStdout(), s, known); err != nil {
		return err
	}
	if s.bad > 0 {
		return silent(codeFailure)
	}
	return nil
}

// examine runs the methods one by one, and prints each when it is done.
func (e *evaluation) examine(out io.Writer, s *evalSource, known []methods.Method) error {
	var results []methods.Result
	show := e.tableRow
	if e.asJSON {
		show = e.jsonLine
	} else if err := tableHead(out, s); err != nil {
		return err
	}
	exam := methods.NewExam(s.test)
	for _, m := range known {
		r := exam.Run(m)
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
	return writePlot(e.plot, s.about, results)
}

func writePlot(name, title string, results []methods.Result) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(methods.Plot(f, title, results), f.Close())
}

func (e *evaluation) jsonLine(out io.Writer, s *evalSource, r methods.Result) error {
	return encodeLine(out, struct {
		Test   string `json:"test"`
		Pages  int    `json:"pages"`
		Docs   int    `json:"docs"`
		Copies int    `json:"copies"`
		methods.Result
	}{s.about, s.pages, len(s.test.Docs), len(s.test.Copies), r})
}

func tableHead(out io.Writer, s *evalSource) error {
	_, err := fmt.Fprintf(out, "%s\n\n%-17s %6s  %-19s  %-19s  %-19s  %-14s  %7s  %9s\n", s.about,
		"method", "at", "precision", "recall", "F1", "best F1 at", "docs/s", "bytes/doc")
	return err
}

func (e *evaluation) tableRow(out io.Writer, _ *evalSource, r methods.Result) error {
	all := r.Scores[0]
	best := "-"
	if r.Best.F1 > 0 {
		best = fmt.Sprintf("%.3f at %.3f", r.Best.F1, r.Best.Threshold)
	}
	_, err := fmt.Fprintf(out, "%-17s %6.3f  %-19s  %-19s  %-19s  %-14s  %7s  %9s\n", r.Method, r.Threshold,
		interval(all.Precision, all.Found), interval(all.Recall, all.Copies), interval(all.F1, all.Found+all.Copies),
		best, count(int64(r.DocsPerSec)), count(int64(r.BytesPerDoc+0.5)))
	return err
}

// interval writes a share of n; of nothing there is none.
func interval(i methods.Interval, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f (%.3f-%.3f)", i.Value, i.Low, i.High)
}

// splitTable prints precision and recall of the kinds of pairs that there are.
func splitTable(out io.Writer, s *evalSource, results []methods.Result) error {
	head := []string{"method"}
	shown := kindsMet(results)
	for i, k := range results[0].Scores {
		if shown[i] {
			head = append(head, fmt.Sprintf("%s (%s)", k.Split, many(k.Copies, "pair", "pairs")))
		}
	}
	head = append(head, "groups", "grouped")
	crawled := s.test.Asked == nil
	if crawled {
		head = append(head, "discarded", "wrongly", "missed")
	}
	fmt.Fprintln(out, "\nprecision and recall by kind of pair and of joined groups; what a gate does")
	t := newTable(out, head...)
	for _, r := range results {
		row := []string{r.Method}
		for i, k := range r.Scores {
			if shown[i] {
				row = append(row, shareOf(k.Precision.Value, k.Found)+" "+shareOf(k.Recall.Value, k.Copies))
			}
		}
		g := r.Grouped
		row = append(row, count(int64(g.Groups)), shareOf(g.Precision, g.Groups)+" "+shareOf(g.Recall, r.Scores[0].Copies))
		if c := r.Crawled; crawled {
			row = append(row, count(int64(c.Discarded)), percentOf(c.Wrong, len(s.test.Docs)), percentOf(c.Missed, c.Alike))
		}
		t.row(row...)
	}
	return t.flush()
}

// asCrawled says how the gate does with the resemblance that a crawl asks for,
// where the test is about another.
func asCrawled(out io.Writer, s *evalSource, results []methods.Result) error {
	asked := dedup.DefaultOptions().Resemblance
	at := slices.IndexFunc(results, func(r methods.Result) bool { return r.Method == "gate" })
	if at < 0 || s.least == asked {
		return nil
	}
	p := methods.Point{Precision: 1}
	for _, next := range results[at].Curve { // by falling threshold
		if next.Threshold >= asked {
			p = next
		}
	}
	_, err := fmt.Fprintf(out, "\nthe gate at %.3f, as a crawl has it: precision %.3f, recall %.3f, F1 %.3f\n", asked, p.Precision, p.Recall, p.F1)
	return err
}

// kindsMet says of which kinds there are copies, or pairs that a method took for
// copies. The first kind is all, which has a table of its own.
func kindsMet(results []methods.Result) []bool {
	met := make([]bool, len(results[0].Scores))
	for _, r := range results {
		for i, s := range r.Scores {
			met[i] = i > 0 && (met[i] || s.Copies > 0 || s.Found > 0)
		}
	}
	return met
}

// percentOf writes a part of n in percent; of nothing there is none.
func percentOf(part, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(part)/float64(n))
}

// shareOf writes a share of n; of nothing there is none.
func shareOf(share float64, n int) string {
	if n == 0 {
		return "-    "
	}
	return fmt.Sprintf("%.3f", share)
}

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/dedup/methods/search"
	"gatecrawl.example/gatecrawl/page"
)

func newDedup() *cobra.Command {
	var d dedupCommand
	cmd := &cobra.Command{
		Use:   "dedup FILE|DIR...",
		Short: "Find the copies among your own pages",
		Long: `dedup says for each page of a collection whether it is new or a copy, and of which
earlier page, by the gate of a crawl. It prints a line a page in the order of the
input, in the format of crawl pages.

FILE is a WARC file (.warc, .warc.gz, .warc.zst), or has a JSON object a line,
  {"url":"...","html":"..."}  or  {"url":"...","text":"..."}
and may be compressed by gzip or zstd; - is standard input. A text is compared as
it is, a page without its template. In a DIR the .html, .htm and .txt files are read
in the order of their names, in subfolders too; symbolic links are not followed.

Of a WARC file the records response, resource and conversion are read; redirects
and error pages get a line, and are not compared. Revisit records, which have no
body, and robots.txt files get no line. A line or a record that cannot be read is
named on stderr and gets no line; the rest is read, and the exit code is 1.

At the end stderr has the shares of all pages that are copies: by equal bytes, by an
equal body and near, and by class.

With --groups the pages that are copies are printed together, the first of each
group before the others. Groups are joined: a page that is near two kept pages
makes one group of both, of which the first is kept.

--dedup mark and discard say the same here; off finds nothing. Verdicts do not
depend on --workers.

A DIR may be a job folder: its pages are those that the job keeps the text of.

With --method a published method judges in place of the gate (crawl methods), with
constants of your own: --method docview:n=10,delta=.2. A page is a copy of the kept page
before it that has the best score; --pairs prints all pairs, where of pages with
equal sketches each is paired with the first alone. Sketches wait in temporary files.

Pages are compared by what their site does not repeat, so all are read before the
first line is printed. A site is a host, or an argument where pages have no URL.

Memory is some 400 bytes for each new page and 16 bytes for each copy, with --groups
12 more a page, 20 kB a site for the first 20,000 sites, and 5 pages for each worker.
The compressed text of all pages is kept in files in the folder for temporary files.`,
		Example: "  crawl dedup archive.warc.gz\n" +
			"  crawl dedup pages.jsonl.zst --json | jq -r 'select(.verdict==\"new\") | .url'\n" +
			"  crawl dedup saved-pages/ --groups\n" +
			"  crawl dedup news.jsonl --method supershingle --groups\n" +
			"  crawl dedup jobs/news --method spotsigs:threshold=.6 --pairs",
		Args: cobra.MinimumNArgs(1),
	}
	given := newFlaggedBy(cmd, dedupSettings())
	fs := cmd.Flags()
	fs.BoolVar(&d.asJSON, "json", false, "print JSON, one object a line")
	d.method.flags(cmd)
	fs.BoolVar(&d.pairs, "pairs", false, "with --method: print pairs of copies and how alike they are, in place of pages")
	fs.BoolVar(&d.groups, "groups", false, "print groups of copies, the kept page first")
	fs.IntVar(&d.workers, "workers", 0, "pages that are read at the same time, `N`; 0 is one a processor")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := given.over(configs.Default())
		if err != nil {
			return err
		}
		return d.run(cmd, args, s)
	}
	return cmd
}

// dedupSettings are the names of the gate's settings, and of those that name bodies.
func dedupSettings() (names []string) {
	for _, k := range configs.Keys() {
		if k.Name == "dedup" || k.Name == "keep" || k.Name == "drop" || strings.HasPrefix(k.Name, "dedup-") {
			names = append(names, k.Name)
		}
	}
	return names
}

// A dedupCommand has the flags of dedup.
type dedupCommand struct {
	asJSON  bool
	groups  bool
	pairs   bool
	workers int
	method  methodFlag
}

func (d *dedupCommand) run(cmd *cobra.Command, args []string, s configs.Settings) error {
	reader, err := s.CrawlOptions().Reader()
	if err != nil {
		return err
	}
	o := corpus.Options{Dedup: s.DedupOptions(), Reader: reader, Workers: d.workers, Groups: d.groups}
	if err := d.method.options(&o); err != nil {
		return err
	}
	if _, ok := o.Method.(methods.Scalable); d.pairs && (!ok || d.groups) {
		return usagef("--pairs: want it with a --method besides gate, and without --groups")
	}
	b, err := corpus.NewBatch(o)
	if err != nil {
		return usagef("--workers: %w", err)
	}
	out, screen, began := bufio.NewWriterSize(cmd.OutOrStdout(), 1<<16), newScreen(cmd.ErrOrStderr()), time.Now()
	faults := 0
	b.Fault = func(err error) {
		if faults++; faults <= badShown {
			fmt.Fprintln(screen, err)
		}
	}
	var shares copyShares
	b.Judged = func(r corpus.Result) error {
		shares.add(&r.Record)
		showBatchProgress(screen, int(r.Record.Seq), time.Since(began))
		switch {
		case d.groups || d.pairs:
			return nil // at another time
		case d.asJSON:
			return encodeLine(out, r.JudgedLine())
		}
		p := r.Record
		p.URL, p.Of, p.Reason = oneLine(p.URL), oneLine(p.Of), oneLine(p.Reason)
		return showPage(out, p)
	}
	b.Grouped = func(g corpus.Group) error {
		if d.asJSON {
			return encodeLine(out, g)
		}
		return showBatchGroup(out, g)
	}
	if d.pairs {
		b.Paired = func(p corpus.PairLine) error {
			if d.asJSON {
				return encodeLine(out, p)
			}
			_, err := fmt.Fprintf(out, "%.3f  %s  %s\n", p.Score, oneLine(p.A), oneLine(p.B))
			return err
		}
	}
	from := &corpus.Source{Names: args, Stdin: cmd.InOrStdin(), MaxBody: int64(s.MaxBody), Jobs: jobPages(cmd)}
	came, err := b.Run(from)
	screen.show("")
	tellBatch(screen, came, from, time.Since(began))
	shares.tell(screen)
	if _, ok := o.Method.(methods.Scalable); ok {
		tellMethod(screen, o.Method, b.Compared(), came)
	}
	switch err := errors.Join(err, out.Flush()); {
	case err != nil:
		return err
	case came.Faults > 0:
		return silent(codeFailure)
	case came.Pages() == 0:
		return fmt.Errorf("no pages in %s%s", strings.Join(args, ", "), without(from))
	}
	return nil
}

// without says what a collection has in place of pages.
func without(from *corpus.Source) string {
	switch {
	case from.Revisits > 0:
		return fmt.Sprintf(", but %s of pages elsewhere", many(from.Revisits, "revisit record", "revisit records"))
	case from.Robots > 0:
		return fmt.Sprintf(", but %s of robots.txt", many(from.Robots, "record", "records"))
	}
	return ""
}

// tellBatch says in a line what came of a collection.
func tellBatch(w io.Writer, came corpus.Counts, from *corpus.Source, took time.Duration) {
	if came.Faults > badShown {
		fmt.Fprintf(w, "and %s\n", many(came.Faults-badShown, "more line or record that could not be read", "more lines or records that could not be read"))
	}
	if came.Pages() == 0 {
		return // what is wrong is said already
	}
	line := fmt.Sprintf("%s in %s: %s new, %s", many(came.Pages(), "page", "pages"), seconds(took.Seconds()), count(came.New), many(came.Copies, "copy", "copies"))
	for _, p := range []struct {
		n         int64
		one, more string
	}{
		{came.Redirects, "redirect", "redirects"}, {came.Errors, "error", "errors"},
		{came.Faults, "could not be read", "could not be read"},
		{int64(from.Revisits), "revisit record without a page", "revisit records without a page"},
		{int64(from.Robots), "record of robots.txt left out", "records of robots.txt left out"},
	} {
		if p.n > 0 {
			line += ", " + many(p.n, p.one, p.more)
		}
	}
	fmt.Fprintln(w, line)
}

// copyShares counts the copies of a collection by how they were told, and by class.
type copyShares struct {
	pages, copies int64
	levels        [6]int64
	classes       [len(copyClasses)]int64
}

var copyClasses = [...]dedup.Class{dedup.FullLayout, dedup.FullContent, dedup.PartialLayout, dedup.PartialContent}

func (c *copyShares) add(p *page.Record) {
	if !p.Document() {
		return
	}
	c.pages++
	if p.Verdict != page.VerdictCopy {
		return
	}
	c.copies++
	if p.Level >= 0 && p.Level < len(c.levels) {
		c.levels[p.Level]++
	}
	for i, class := range copyClasses {
		if p.Class == class.String() {
			c.classes[i]++
		}
	}
}

// tell says which shares of the pages are copies; nothing where there are none, or where a
// method told them, which knows no levels.
func (c *copyShares) tell(w io.Writer) {
	if c.copies == 0 || c.levels[0] == c.copies {
		return
	}
	of := func(n int64) string { return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(c.pages)) }
	fmt.Fprintf(w, "copies: %s of the pages; %s by equal bytes, %s by an equal body, %s near\n",
		of(c.copies), of(c.levels[3]), of(c.levels[4]), of(c.levels[5]))
	var parts []string
	for i, n := range c.classes {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s (%s)", copyClasses[i], count(n), of(n)))
		}
	}
	fmt.Fprintf(w, "classes: %s\n", strings.Join(parts, ", "))
}

// tellMethod says in a line what a method did.
func tellMethod(w io.Writer, m methods.Method, c corpus.Compared, came corpus.Counts) {
	if came.Pages() == 0 {
		return
	}
	line := fmt.Sprintf("by %s (%s): %s of %s compared", m.Name(), m.Source(), many(c.Pairs, "pair", "pairs"), count(c.Scored))
	if c.LeftOut > 0 {
		line += fmt.Sprintf("; %s not compared, of pages with a part in common that more than %d pages have", many(c.LeftOut, "pair", "pairs"), search.MaxGroup)
	}
	fmt.Fprintln(w, line)
}

// showBatchGroup prints a group: its first page, then the others.
func showBatchGroup(w io.Writer, g corpus.Group) error {
	fmt.Fprintf(w, "%s  (%s, on %s)\n", oneLine(g.URL), many(len(g.Copies), "copy", "copies"), many(g.Degree, "other host", "other hosts"))
	for _, m := range g.Copies {
		note := "joined by a copy of both"
		if m.OfSeq != 0 {
			note = likeness(m.Class, m.Level, m.Distance, m.Similarity)
		}
		if m.OfSeq != 0 && uint64(m.OfSeq) != g.Seq {
			note += ", of " + oneLine(m.Of)
		}
		if _, err := fmt.Fprintf(w, "  %s  (%s)\n", oneLine(m.URL), note); err != nil {
			return err
		}
	}
	return nil
}

// showBatchProgress shows how far a batch is, where a terminal watches.
func showBatchProgress(s *screen, n int, took time.Duration) {
	if s.width == nil || n%256 != 0 {
		return
	}
	s.show(fmt.Sprintf("%s  %s %.0f/s", took.Truncate(time.Second), many(n, "page", "pages"), float64(n)/took.Seconds()))
}

// oneLine quotes what would not stay on its line, as a name with a line's end in it.
func oneLine(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return strconv.Quote(s)
	}
	return s
}

// encodeLine writes a line of JSON.
func encodeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

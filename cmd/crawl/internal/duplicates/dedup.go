package duplicates

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/inspect"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/methods"
	"gatecrawl.example/gatecrawl/dedup/methods/search"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
)

func newDedup() *cobra.Command {
	var d dedupCommand
	cmd := &cobra.Command{
		Use:   "dedup FILE|DIR...",
		Short: "Find the copies among your own pages",
		Long: `dedup says for each page of a collection whether it is new or a copy, and of which
earlier page, by the gate of a crawl. It prints one line per page in the order of the
input, in the format of crawl pages.

FILE is a WARC file (.warc, .warc.gz, .warc.zst), an ARC file, which archives wrote before
WARC, a WACZ, or has a JSON object per line,
  {"url":"...","html":"..."}  or  {"url":"...","title":"...","text":"..."}
and may be compressed by gzip or zstd; - is standard input. A text is compared as
it is, a page without its template. In a DIR the .html, .htm and .txt files are read,
documents (.pdf, .ps, .docx, .doc, .rtf, .odt, .epub), and WARC, ARC and WACZ files, in the
order of their names, in subfolders too; symbolic links are not followed. Other files that start
like pages or lines of them are counted; name them to have them read.

The response, resource and conversion records of a WARC file are read; redirects
and error pages get a line, and are not compared. A revisit record, which has no body, is
an exact copy of the earlier page with its payload digest, if that has another URL;
revisits of unchanged pages and robots.txt files get no line. A line or a record that cannot be read is
named on stderr and gets no line; the rest is read, and the exit code is 1.

At the end a summary on stderr has the shares of all documents, pages without redirects and errors,
that are copies (by equal bytes, by an equal body, near ones, and by class), that are new but have
parts of others, and that are copies of a page on a mirror of their site (level 2, mirrored sites). --parts and
--mirrors list these pages and sites instead of verdicts, as crawl parts and crawl mirrors
do for a job.

With --known pages that an earlier crawl or archive already has are copies: a job, WARC
files, JSON lines, an index (CDX, CDXJ; only equal bytes) or a folder of them. A copy of a text that a
line of JSON gives has no class unless its bytes are equal, since the layout is not known.

With --groups the pages that are copies of each other are printed together, the first of each
group before the others. A page that is near two kept pages joins their groups into one,
whose kept page is the first of both.

--dedup mark and discard give the same verdicts here; off finds nothing. Verdicts do not
depend on --workers.

A DIR may be a job folder: its pages are those whose text the job keeps, and are read anew, except
in a job with body selectors (--keep, --drop).

With --method a published method decides instead of the gate (crawl methods), with
constants of your own: --method docview:n=10,delta=.2. A page is a copy of the kept page
before it that has the best score. --pairs prints all pairs; pages with equal sketches are
each paired only with the first of them. Sketches are kept in temporary files.

A collection that is too large for one machine is signed in shares, with the pages of a
site in one of them: --sketches FILE writes a share's sketches, and --merge compares the
files of all shares as one collection. Methods that weight words then need one table for
all shares, --idf. With --pairs, --share I/N compares only the I-th of N parts of the keys,
so that N machines can compare the files: sort -u of their outputs is the output of one.

Pages are compared by what their site does not repeat, so all are read before the
first line is printed. A site is a host, or an argument where pages have no URL. What seven or
more pages of a site have in common may be taken for its frame, even if these are versions of
one text: to compare files of no common site, name each (crawl dedup drafts/*), or give texts.

It needs some 400 bytes of memory for each new page and 16 bytes for each copy, 40 more for
each page with a URL, 12 more a page with --groups, 20 kB a site for the first 20,000 sites,
and 5 pages for each worker. The compressed text of all pages, and 5 bytes for each of their
blocks, are in temporary files.`,
		Example: "  crawl dedup archive.warc.gz\n" +
			"  crawl dedup pages.jsonl.zst --json | jq -r 'select(.verdict==\"new\") | .url'\n" +
			"  crawl dedup saved-pages/ --groups\n" +
			"  crawl dedup new.warc.gz --known jobs/news --known 2023.cdxj.gz\n" +
			"  crawl dedup archive.warc.gz --parts --json | jq -r 'select(.part_of[]?.share > .9).url'\n" +
			"  crawl dedup news.jsonl --method supershingle --groups\n" +
			"  crawl dedup jobs/news --method spotsigs:threshold=.6 --pairs\n" +
			"  crawl dedup part1.warc.gz --method supershingle --sketches 1.sketches\n" +
			"  crawl dedup --merge 1.sketches 2.sketches --groups",
		Args: cobra.MinimumNArgs(1),
	}
	given := cli.NewSettingFlags(cmd, dedupSettings())
	fs := cmd.Flags()
	fs.BoolVar(&d.asJSON, "json", false, "print JSON, one object a line")
	d.method.flags(cmd)
	fs.BoolVar(&d.pairs, "pairs", false, "with a --method other than gate: print pairs of copies and how alike they are, in place of pages")
	fs.StringVar(&d.sketches, "sketches", "", "with a --method other than gate: write the sketches of the pages to `FILE`, and compare nothing")
	fs.BoolVar(&d.merge, "merge", false, "the arguments are files of --sketches, to be compared as one collection")
	fs.StringVar(&d.share, "share", "", "with --pairs: compare by the `I/N`-th part of the keys alone, such as 1/3")
	fs.BoolVar(&d.parts, "parts", false, "list the new pages that have parts of others, in place of verdicts")
	fs.BoolVar(&d.mirrors, "mirrors", false, "list mirrored sites, in place of verdicts")
	fs.BoolVar(&d.groups, "groups", false, "print groups of copies, the kept page first")
	fs.IntVar(&d.workers, "workers", 0, "pages that are read at the same time, `N`; 0 is one a processor, at most 10,000")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := given.Over(configs.Default())
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
		if k.Name == "dedup" || k.Name == "known" || k.Name == "keep" || k.Name == "drop" || strings.HasPrefix(k.Name, "dedup-") {
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
	parts   bool
	mirrors bool
	workers int
	method  methodFlag

	sketches string
	merge    bool
	share    string
}

// options returns what a batch is told.
func (d *dedupCommand) options(args []string, s *configs.Settings) (o corpus.Options, err error) {
	reader, err := s.CrawlOptions().Reader()
	if err != nil {
		return o, err
	}
	o = corpus.Options{Dedup: s.DedupOptions(), Reader: reader, Workers: d.workers, Groups: d.groups}
	if d.merge {
		if d.method.name != "" || d.method.idf != "" {
			return o, cli.Usagef("--merge: the sketches say by which method and table of words they were made; leave --method and --idf out")
		}
		for i, name := range args {
			if slices.Contains(args[:i], name) {
				return o, cli.Usagef("--merge: %s is named twice: each of its pages would be a copy of itself", name)
			}
		}
		if d.method.name, err = corpus.ShareMethod(args[0]); err != nil {
			return o, err
		}
	}
	if err := d.method.options(&o); err != nil {
		return o, err
	}
	return o, d.check(&o, s)
}

// leastGarbage is how many bytes of garbage there may be while pages are read, when some 20 MB are in use.
const leastGarbage = 48 << 20

func (d *dedupCommand) run(cmd *cobra.Command, args []string, s configs.Settings) (err error) {
	o, err := d.options(args, &s)
	if err != nil {
		return err
	}
	if err := d.oneGate(cmd, &o); err != nil {
		return err
	}
	screen, start := console.NewScreen(cmd.ErrOrStderr()), time.Now()
	defer cli.BoundGarbage(leastGarbage)()
	if len(s.Known) > 0 {
		known, closeKnown, err := readKnown(cmd, screen, s, &o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closeKnown()) }()
		o.Known = known
	}
	b, err := corpus.NewBatch(o)
	if err != nil {
		return cli.Usagef("--workers: %w", err)
	}
	out, faults := bufio.NewWriterSize(cmd.OutOrStdout(), 1<<16), 0
	b.Fault = func(err error) {
		if faults++; faults <= cli.BadShown {
			fmt.Fprintln(screen, err)
		}
	}
	var shares copyShares
	b.Judged = func(r corpus.Result) error {
		shares.add(&r.Record)
		showBatchProgress(screen, int(r.Record.Seq), time.Since(start))
		return d.tellPage(out, r)
	}
	d.tellRest(b, out, &shares)
	from := &corpus.Source{Names: args, Stdin: cmd.InOrStdin(), MaxBody: int64(s.MaxBody), Jobs: jobPages(cmd), Revisited: !byMethod(&o)}
	var came corpus.Counts
	switch {
	case d.sketches != "":
		came, err = d.writeSketches(cmd, b, from)
	case d.merge:
		came, err = b.Merge(args)
	default:
		came, err = b.Run(from)
	}
	err = errors.Join(err, out.Flush()) // before the summary, which may go to the same place
	screen.Show("")
	d.tellSummary(screen, from, came, &shares, time.Since(start), err == nil)
	if byMethod(&o) && d.sketches == "" {
		tellMethod(screen, o.Method, b.Compared(), came)
	}
	switch {
	case err != nil:
		return err
	case came.Faults > 0 && came.Pages() == 0:
		return errors.New("none of the pages could be read")
	case came.Faults > 0:
		return cli.Silent(cli.CodeFailure)
	case came.Pages() == 0:
		return fmt.Errorf("no pages in %s%s", strings.Join(args, ", "), without(from, came))
	}
	return nil
}

// tellSummary prints what came of a batch, which is whole if it ended without an error.
func (d *dedupCommand) tellSummary(screen io.Writer, from *corpus.Source, came corpus.Counts, shares *copyShares, took time.Duration, whole bool) {
	switch {
	case d.sketches != "" && whole && came.New > 0:
		fmt.Fprintf(screen, "%s signed, in %s: %s\n", humanize.Many(came.New, "page", "pages"), humanize.Seconds(took.Seconds()), d.sketches)
	case d.share == "" && d.sketches == "":
		tellBatch(screen, came, from, took)
		shares.tell(screen, came.Redirects+came.Errors)
		switch {
		case d.mirrors && whole && len(shares.mirrors.Groups)+len(shares.mirrors.Pairs) == 0:
			fmt.Fprintln(screen, "no two sites share documents")
		case d.parts && whole && shares.inPart == 0:
			fmt.Fprintln(screen, "no new page has parts of another")
		}
	}
}

// writeSketches signs a share of a collection. If it is interrupted, the part of the file that was written
// is removed: it compares with nothing.
func (d *dedupCommand) writeSketches(cmd *cobra.Command, b *corpus.Batch, from *corpus.Source) (came corpus.Counts, err error) {
	ctx, stop := cli.UntilInterrupt(cmd.Context(), cmd.ErrOrStderr(), "", func() {})
	defer stop()
	from.Ended = ctx.Err
	err = cli.WriteFile(d.sketches, func(f *os.File) (err error) {
		came, err = b.Sketch(from, whileGoing{ctx, f})
		return err
	})
	if err != nil && ctx.Err() != nil {
		return came, cli.Interrupted(errors.New("interrupted: no file was written"))
	}
	return came, err
}

// A whileGoing is a writer that fails when its context ends.
type whileGoing struct {
	ctx context.Context
	io.Writer
}

func (w whileGoing) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(b)
}

// parseShare reads I/N.
func parseShare(text string) (part, of int, err error) {
	i, n, ok := strings.Cut(text, "/")
	part, err = strconv.Atoi(i)
	if err == nil {
		of, err = strconv.Atoi(n)
	}
	if !ok || err != nil || part < 1 || part > of || of > 1000 {
		return 0, 0, cli.Usagef("--share %s: want a part and a number of parts, such as 1/3", text)
	}
	return part, of, nil
}

// check refuses flags that do not go together, and says what a batch looks for.
func (d *dedupCommand) check(o *corpus.Options, s *configs.Settings) error {
	if d.share != "" {
		var err error
		if o.Part, o.Parted, err = parseShare(d.share); err != nil {
			return err
		}
	}
	lists := 0
	for _, on := range []bool{d.groups, d.pairs, d.parts, d.mirrors} {
		if on {
			lists++
		}
	}
	switch {
	case d.pairs && !byMethod(o):
		return cli.Usagef("--pairs: want it with a --method other than gate")
	case d.sketches != "" && (!byMethod(o) || lists > 0 || d.merge):
		return cli.Usagef("--sketches: want it with a --method other than gate, and without --merge and lists of what is found")
	case d.share != "" && !d.pairs:
		return cli.Usagef("--share: want it with --pairs; what is a copy is known when the pairs of all parts are together")
	case lists > 1:
		return cli.Usagef("--groups, --pairs, --parts, --mirrors: want one of them, each is another list")
	case byMethod(o) && (d.parts || d.mirrors || len(s.Known) > 0):
		return cli.Usagef("--parts, --mirrors and --known are the gate's: want them without --method")
	case o.Dedup.Mode == dedup.ModeOff && (d.parts || d.mirrors || len(s.Known) > 0):
		return cli.Usagef("--dedup off finds nothing: want --parts, --mirrors and --known without it")
	}
	gate := !byMethod(o) && o.Dedup.Mode != dedup.ModeOff
	o.Mirrors, o.Parts = gate, gate
	return nil
}

// oneGate refuses settings of the gate with a method that has constants of its own in their place.
func (d *dedupCommand) oneGate(cmd *cobra.Command, o *corpus.Options) (err error) {
	if o.Method == nil {
		return nil
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		replaced := strings.HasPrefix(f.Name, "dedup")
		if !byMethod(o) {
			replaced = f.Name == "dedup-distance" || f.Name == "dedup-resemblance"
		}
		if replaced && err == nil {
			err = cli.Usagef("--%s is a setting of the gate: --method %s has constants of its own, which crawl methods lists", f.Name, d.method.name)
		}
	})
	return err
}

// byMethod reports whether a method judges in place of the gate.
func byMethod(o *corpus.Options) bool {
	_, ok := o.Method.(methods.Scalable)
	return ok
}

// tellPage prints what became of a page, if that is asked for.
func (d *dedupCommand) tellPage(out io.Writer, r corpus.Result) error {
	switch {
	case d.groups || d.pairs || d.parts || d.mirrors:
		return nil // at another time
	case d.asJSON:
		return console.EncodeLine(out, r.JudgedLine())
	}
	p := r.Record
	p.URL, p.Of, p.Reason = console.OneLine(p.URL), console.OneLine(p.Of), console.OneLine(p.Reason)
	return cli.ShowPage(out, p)
}

// tellRest has a batch print the list that is asked for, and counts what the summary says.
func (d *dedupCommand) tellRest(b *corpus.Batch, out io.Writer, shares *copyShares) {
	b.Grouped = func(g corpus.Group) error {
		if d.asJSON {
			return console.EncodeLine(out, g)
		}
		return showBatchGroup(out, g)
	}
	if d.pairs {
		b.Paired = func(p corpus.PairLine) error {
			if d.asJSON {
				return console.EncodeLine(out, p)
			}
			_, err := fmt.Fprintf(out, "%.3f  %s  %s\n", p.Score, console.OneLine(p.A), console.OneLine(p.B))
			return err
		}
	}
	b.Mirrored = func(r mirror.Report, copies int64) error {
		shares.mirrors, shares.onMirrors = r, copies
		switch {
		case !d.mirrors:
			return nil
		case d.asJSON:
			return inspect.WriteLines(out, r)
		}
		return inspect.WriteTable(out, r)
	}
	b.InPart = func(l corpus.PartsLine) error {
		shares.inPart++
		switch {
		case !d.parts:
			return nil
		case d.asJSON:
			return console.EncodeLine(out, l)
		}
		var text strings.Builder
		fmt.Fprintln(&text, console.OneLine(l.URL))
		inspect.ShowParts(&text, "  ", page.Record{URL: l.URL, PartOf: l.PartOf, Contains: l.Contains})
		_, err := io.WriteString(out, text.String())
		return err
	}
}

// without says what a collection has in place of pages.
func without(from *corpus.Source, came corpus.Counts) string {
	switch n := int64(from.Revisits) + came.Revisits; {
	case n > 0:
		return fmt.Sprintf(", but %s of pages elsewhere", humanize.Many(n, "revisit record", "revisit records"))
	case from.Robots > 0:
		return fmt.Sprintf(", but %s of robots.txt", humanize.Many(from.Robots, "record", "records"))
	case from.Bare > 0:
		return fmt.Sprintf(", but %s without a text", humanize.Many(from.Bare, "line", "lines"))
	case slices.ContainsFunc(from.Names, isFolder):
		return ": in a folder .html, .htm and .txt files, documents such as .pdf, and archives are read"
	}
	return ""
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// tellBatch says in a line what came of a collection.
func tellBatch(w io.Writer, came corpus.Counts, from *corpus.Source, took time.Duration) {
	if came.Faults > cli.BadShown {
		fmt.Fprintf(w, "and %s\n", humanize.Many(came.Faults-cli.BadShown, "more line or record that could not be read", "more lines or records that could not be read"))
	}
	if came.Pages() == 0 {
		return // what is wrong is said already
	}
	line := fmt.Sprintf("%s in %s: %s new, %s", humanize.Many(came.Pages(), "page", "pages"), humanize.Seconds(took.Seconds()), humanize.Count(came.New), humanize.Many(came.Copies, "copy", "copies"))
	for _, p := range []struct {
		n         int64
		one, more string
	}{
		{came.Redirects, "redirect", "redirects"}, {came.Errors, "error", "errors"},
		{came.Faults, "could not be read", "could not be read"},
		{came.Unchanged, "visit to an unchanged page", "visits to unchanged pages"},
		{int64(from.Revisits) + came.Revisits, "revisit record of a page that is not here", "revisit records of pages that are not here"},
		{int64(from.Robots), "record of robots.txt left out", "records of robots.txt left out"},
		{int64(from.Bare), "without a text left out", "without a text left out"},
	} {
		if p.n > 0 {
			line += ", " + humanize.Many(p.n, p.one, p.more)
		}
	}
	fmt.Fprintln(w, line)
	if n := int64(from.Strange); n > 0 {
		fmt.Fprintf(w, "left out: %s in folders that start like pages, and have other names than .html, .htm and .txt: name them to have them read, such as %s\n",
			humanize.Many(n, "file", "files"), console.OneLine(from.FirstOfThem))
	}
}

// copyShares counts the copies of a collection by how they were recognized, and by class.
type copyShares struct {
	pages, copies int64
	known         int64 // copies of documents of earlier crawls
	inPart        int64 // new pages that have parts of others
	onMirrors     int64 // copies on a site whose mirror has the page that they are of
	mirrors       mirror.Report
	textless      *gatecrawl.Failure // documents whose text could not be read
	levels        [6]int64
	classes       [len(copyClasses)]int64
	unclassed     int64 // copies of texts of earlier crawls, whose layout is not known
}

var copyClasses = [...]dedup.Class{dedup.FullLayout, dedup.FullContent, dedup.PartialLayout, dedup.PartialContent}

func (c *copyShares) add(p *page.Record) {
	if !p.Document() {
		return
	}
	c.pages++
	if p.TextError != "" {
		c.textless = c.textless.And(p.URL, p.TextError)
	}
	if p.Verdict != page.VerdictCopy {
		return
	}
	c.copies++
	if p.Earlier() {
		c.known++
	}
	if p.Level >= 0 && p.Level < len(c.levels) {
		c.levels[p.Level]++
	}
	for i, class := range copyClasses {
		if p.Class == class.String() {
			c.classes[i]++
		}
	}
	if p.Class == "" {
		c.unclassed++
	}
}

// tell says which documents have no text, which shares of the pages are copies, and what else is on
// several pages; no shares if there are no copies, or if a method found them, which knows no levels.
// The shares are of documents: others is the number of redirects and errors.
func (c *copyShares) tell(w io.Writer, others int64) {
	if t := c.textless; t != nil {
		cli.TellTextless(w, t.Count, console.OneLine(t.URL), t.Reason)
	}
	of := func(n int64) string { return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(c.pages)) }
	whole := "the pages"
	if others > 0 {
		whole = humanize.Many(c.pages, "document", "documents")
	}
	if c.copies > 0 && c.levels[0] < c.copies {
		fmt.Fprintf(w, "copies: %s of %s; %s by equal bytes, %s by an equal body, %s near",
			of(c.copies), whole, of(c.levels[3]), of(c.levels[4]), of(c.levels[5]))
		if c.known > 0 {
			fmt.Fprintf(w, "; %s are of earlier crawls", of(c.known))
		}
		fmt.Fprintln(w)
		var parts []string
		for i, n := range c.classes {
			if n > 0 {
				parts = append(parts, fmt.Sprintf("%s %s (%s)", copyClasses[i], humanize.Count(n), of(n)))
			}
		}
		if c.unclassed > 0 {
			parts = append(parts, fmt.Sprintf("layout not known %s (%s)", humanize.Count(c.unclassed), of(c.unclassed)))
		}
		fmt.Fprintf(w, "classes: %s\n", strings.Join(parts, ", "))
	}
	if c.inPart > 0 {
		fmt.Fprintf(w, "in part: %s of %s; %s (--parts lists them)\n", of(c.inPart), whole,
			humanize.Many(c.inPart, "new page quotes another or holds it", "new pages quote others or hold them"))
	}
	if n := len(c.mirrors.Groups); n > 0 {
		fmt.Fprintf(w, "mirrored sites: %s of %s, copies on a mirror of the site of their kept page; %s (--mirrors lists them)\n",
			of(c.onMirrors), whole, humanize.Many(n, "group of sites", "groups of sites"))
	}
}

// tellMethod says in a line what a method did.
func tellMethod(w io.Writer, m methods.Method, c corpus.Compared, came corpus.Counts) {
	if came.Pages() == 0 {
		return
	}
	line := fmt.Sprintf("by %s (%s): %s of copies, %s of them with equal sketches; %s compared",
		m.Name(), m.Source(), humanize.Many(c.Pairs, "pair", "pairs"), humanize.Count(c.Equal), humanize.Many(c.Scored, "pair", "pairs"))
	if c.LeftOut > 0 {
		line += fmt.Sprintf("; %s not compared, of pages with a part in common that more than %d pages have", humanize.Many(c.LeftOut, "pair", "pairs"), search.MaxGroup)
	}
	fmt.Fprintln(w, line)
}

// showBatchGroup prints a group: its first page, then the others.
func showBatchGroup(w io.Writer, g corpus.Group) error {
	fmt.Fprintf(w, "%s  (%s, on %s)\n", console.OneLine(g.URL), humanize.Many(len(g.Copies), "copy", "copies"), humanize.Many(g.Degree, "other host", "other hosts"))
	for _, m := range g.Copies {
		note := "joined by a copy of both"
		if m.OfSeq != 0 {
			note = cli.Likeness(m.Class, m.Level, m.Distance, m.Similarity)
		}
		if m.OfSeq != 0 && uint64(m.OfSeq) != g.Seq {
			note += ", of " + console.OneLine(m.Of)
		}
		if _, err := fmt.Fprintf(w, "  %s  (%s)\n", console.OneLine(m.URL), note); err != nil {
			return err
		}
	}
	return nil
}

// showBatchProgress shows how far a batch is, where a terminal watches.
func showBatchProgress(s *console.Screen, n int, took time.Duration) {
	if !s.Watched() || n%256 != 0 {
		return
	}
	s.Show(fmt.Sprintf("%s  %s %.0f/s", took.Truncate(time.Second), humanize.Many(n, "page", "pages"), float64(n)/took.Seconds()))
}

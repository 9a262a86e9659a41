package duplicates

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/corpus/category"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// categories has the flags of categories.
type categories struct {
	dir    string
	labels string
	model  string
	output string
	list   bool
	asJSON bool
	names  int
	least  float64

	marks []mark
}

func newCategories() *cobra.Command {
	var c categories
	cmd := &cobra.Command{
		Use:   "categories [FILE|DIR|JOB...]",
		Short: "Recognize the category of pages that declare none",
		Long: `categories prints the category of each page of a collection. It is what the page
declares: a breadcrumb, its section, or the folders of its URL or path. If a page declares none,
a model of the pages that do tells it by the page's words, with its probability; a page
without words, or without a likely category, is printed without one.

The model is made from the collection's own pages without copies: at most 6,000 pages, of at
most 50 categories that 8 pages or more declare. With --labels FILE the file names the categories
of pages, and what pages declare does not count: a line is a URL or a prefix of URLs, a tab,
and a category; the longest prefix wins. So sections of two sites that mean the same can have one
name. --output FILE saves the model; --model FILE uses a saved one, as crawl view --categories FILE
does for a page and crawl run --categories FILE for the pages of a crawl.

On stderr it prints how often such a model is right about pages that it was not made from:
other pages of the same hosts, and pages of other hosts, and how many pages get a category of it although they
are of another one. A model knows only its own categories: a page that is less like the examples of the
likeliest one than nineteen of twenty of these are like each other gets none. It is only as good as they are: it tells the sections of one site, or of similar sites, well, and the
names that sites of all kinds give their sections badly.

Without FILE, DIR and JOB it reads the job of --job. They are as for crawl dedup; standard input is
read only once, so - needs --model.`,
		Example: "  crawl categories --job jobs/news\n" +
			"  crawl categories jobs/news --list\n" +
			"  crawl categories jobs/news --labels sections.tsv --output news.categories\n" +
			"  crawl categories other.warc.gz --model news.categories --json",
	}
	given := cli.NewSettingFlags(cmd, []string{"keep", "drop"})
	fs := cmd.Flags()
	fs.StringVar(&c.dir, "job", cli.DefaultJob, "the job's folder `DIR`")
	fs.StringVar(&c.labels, "labels", "", "read categories from `FILE`, lines of URL, tab, category; each is for all URLs that start with this URL")
	fs.StringVar(&c.model, "model", "", "use the model in `FILE` instead of one made from these pages")
	fs.StringVarP(&c.output, "output", "o", "", "write the model to `FILE`")
	fs.BoolVar(&c.list, "list", false, "list the categories, with their pages and hosts, in place of pages")
	fs.IntVar(&c.names, "names", 1, "of a declared path, as Animals / Birds / Owls, the first `N` names are the category")
	fs.Float64Var(&c.least, "least", category.LikelyEnough, "print a recognized category if it is as likely as `P`, 0 to 1")
	fs.BoolVar(&c.asJSON, "json", false, "print JSON, one object a line")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := given.Over(configs.Default())
		switch {
		case err != nil:
			return err
		case len(args) > 0 && cmd.Flags().Changed("job"):
			return cli.Usagef("give either --job or files")
		case len(args) == 0 && !crawl.Exists(c.dir):
			return cli.NoJob(c.dir)
		case len(args) == 0:
			args = []string{c.dir}
		}
		return c.run(cmd, args, s)
	}
	return cmd
}

func (c *categories) run(cmd *cobra.Command, args []string, s configs.Settings) (err error) {
	switch {
	case c.names < 1 || c.least < 0 || c.least > 1:
		return cli.Usagef("--names: want 1 or more; --least: want 0 to 1")
	case c.model != "" && (c.labels != "" || c.output != "" || c.list):
		return cli.Usagef("--model takes a model that is made: want it without --labels, --output and --list")
	case c.model == "" && slices.Contains(args, "-"):
		return cli.Usagef("-: standard input is read once: want --model, or a file")
	}
	if c.marks, err = readMarks(c.labels); err != nil {
		return err
	}
	var m *category.Model
	if c.model != "" {
		m, err = category.Open(c.model)
	} else {
		m, err = c.learn(cmd, args, s)
	}
	if err != nil || c.list {
		return err
	}
	return c.tell(cmd, args, s, m)
}

// eachDocument calls visit with each document of a collection that can be read, with its text and
// its view, which are without what its site repeats.
func eachDocument(cmd *cobra.Command, args []string, s configs.Settings, mode dedup.Mode, visit func(r *corpus.Result, text *dedup.Text, v *purify.DocView) error) (came corpus.Counts, err error) {
	reader, err := s.CrawlOptions().Reader()
	if err != nil {
		return came, err
	}
	o := corpus.Options{Dedup: s.DedupOptions(), Reader: reader}
	o.Reader.Unsummed, o.Dedup.Mode = true, mode
	b, err := corpus.NewBatch(o)
	if err != nil {
		return came, err
	}
	faults := 0
	b.Fault = func(err error) {
		if faults++; faults <= cli.BadShown {
			fmt.Fprintln(cmd.ErrOrStderr(), err)
		}
	}
	b.Judged = func(corpus.Result) error { return cmd.Context().Err() }
	b.Signed = func(r corpus.Result, _ dedup.Signature, text *dedup.Text, v *purify.DocView) error {
		if v == nil {
			v = new(purify.DocView)
		}
		return visit(&r, text, v)
	}
	from := &corpus.Source{Names: args, Stdin: cmd.InOrStdin(), MaxBody: int64(s.MaxBody), Jobs: jobPages(cmd)}
	came, err = b.Run(from)
	switch {
	case err != nil:
		return came, err
	case came.Pages() == 0:
		return came, fmt.Errorf("no pages in %s%s", strings.Join(args, ", "), without(from, came))
	}
	return came, nil
}

// learn makes a model of the pages whose category is known, and says what it is worth.
func (c *categories) learn(cmd *cobra.Command, args []string, s configs.Settings) (*category.Model, error) {
	var sample category.Sample
	pages := 0
	_, err := eachDocument(cmd, args, s, dedup.ModeMark, func(r *corpus.Result, _ *dedup.Text, v *purify.DocView) error {
		pages++
		if name := c.known(r, v); name != "" && r.Record.Verdict == page.VerdictNew {
			sample.Add(cmp.Or(weburl.HostOf(r.URL), r.Argument), r.URL, name, v.Title, v.Body)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if c.list {
		return nil, listCategories(cmd.OutOrStdout(), &sample, c.asJSON)
	}
	examples := sample.Examples()
	m, err := category.Fit(examples)
	if err != nil {
		return nil, fmt.Errorf("%s: pages with a category: %s of %s; %w; %s", strings.Join(args, ", "), humanize.Count(int64(sample.Pages)), humanize.Count(int64(pages)), err, c.advice(&sample))
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, "%s, %s of a known category that are no copies; a model of %s and %s\n", humanize.Many(pages, "page", "pages"), humanize.Count(int64(sample.Pages)),
		humanize.Many(len(m.Categories), "category", "categories"), humanize.Many(len(examples), "page", "pages"))
	byPage, byHost := category.Measure(examples, c.least)
	showScore(w, "other pages of the same hosts", byPage)
	showScore(w, "pages of other hosts", byHost)
	if others := category.MeasureOthers(examples, c.least); others.Examples > 0 {
		fmt.Fprintf(w, "pages of a category that the model lacks: %s of %s get one all the same\n", humanize.Percent(others.Coverage()), humanize.Count(int64(others.Examples)))
	} else {
		fmt.Fprintln(w, "pages of a category that the model lacks: not measured, there are only two")
	}
	if c.output != "" {
		err = cli.WriteFile(c.output, func(f *os.File) error { return m.Save(f) })
	}
	return m, err
}

// advice says what to do where the pages of a sample make no model.
func (c *categories) advice(sample *category.Sample) string {
	labels := "--labels FILE says what pages are of"
	if sample.Pages == 0 || c.labels != "" {
		return labels
	}
	return fmt.Sprintf("--names %d takes more of what they declare, and %s", c.names+1, labels)
}

func showScore(w io.Writer, what string, s category.Score) {
	if s.Examples == 0 {
		fmt.Fprintf(w, "%s: not measured, no two hosts have one category\n", what)
		return
	}
	fmt.Fprintf(w, "%s: %s right of %s (%s if all were of the most frequent one); of the %s that get one %s\n",
		what, humanize.Percent(s.Accuracy()), humanize.Count(int64(s.Examples)), humanize.Percent(s.Baseline), humanize.Percent(s.Coverage()), humanize.Percent(s.Precision()))
}

// A categoryLine is the category of a page.
type categoryLine struct {
	URL      string  `json:"url"`
	Category string  `json:"category"`           // "": none
	Declared bool    `json:"declared,omitempty"` // by the page or by --labels
	Likely   float64 `json:"likely,omitempty"`   // of a category that is told, 0 to 1
}

// tell prints the category of each page.
func (c *categories) tell(cmd *cobra.Command, args []string, s configs.Settings, m *category.Model) error {
	out := bufio.NewWriterSize(cmd.OutOrStdout(), 1<<16)
	var declared, told, none int64
	_, err := eachDocument(cmd, args, s, dedup.ModeOff, func(r *corpus.Result, _ *dedup.Text, v *purify.DocView) error {
		l := categoryLine{URL: r.URL, Category: c.known(r, v)}
		l.Declared = l.Category != ""
		if name, likely, ok := m.Tell(v.Title, v.Body); ok && !l.Declared && likely >= c.least {
			l.Category, l.Likely = name, likely
		}
		switch {
		case l.Declared:
			declared++
		case l.Category != "":
			told++
		default:
			none++
		}
		if c.asJSON {
			return console.EncodeLine(out, l)
		}
		how := "-"
		switch {
		case l.Declared:
			how = "declared"
		case l.Category != "":
			how = fmt.Sprintf("%.2f", l.Likely)
		}
		_, err := fmt.Fprintf(out, "%-8s  %-24s  %s\n", how, console.OneLine(cmp.Or(l.Category, "-")), console.OneLine(l.URL))
		return err
	})
	if all := declared + told + none; err == nil && all > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "with copies: %s of a known category, %s by the model; nothing is said of %s (%s)\n", humanize.Count(declared), humanize.Count(told), humanize.Count(none), humanize.Percent(float64(none)/float64(all)))
	}
	return errors.Join(err, out.Flush())
}

// listCategories prints the categories that pages have, the most frequent first.
func listCategories(w io.Writer, s *category.Sample, asJSON bool) error {
	names := make([]string, 0, len(s.Count))
	for name := range s.Count {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(s.Count[b], s.Count[a]), cmp.Compare(a, b)) })
	t := console.NewTable(w, "category", "pages", "hosts")
	for _, name := range names {
		if asJSON {
			line := struct {
				Category string `json:"category"`
				Pages    int    `json:"pages"`
				Hosts    int    `json:"hosts"`
			}{name, s.Count[name], s.Hosts(name)}
			if err := console.EncodeLine(w, line); err != nil {
				return err
			}
			continue
		}
		t.Row(console.OneLine(name), humanize.Count(int64(s.Count[name])), humanize.Count(int64(s.Hosts(name))))
	}
	if asJSON {
		return nil
	}
	return t.Flush()
}

// A mark is the category of the URLs that start with a text.
type mark struct{ start, category string }

// readMarks reads a file of labels; none for "".
func readMarks(name string) (list []mark, err error) {
	if name == "" {
		return nil, nil
	}
	in, name, err := corpus.Open(name, nil)
	if err != nil {
		return nil, cli.Usagef("--labels: %w", err)
	}
	defer in.Close()
	for l, err := range corpus.Lines(in) {
		if err != nil {
			return nil, cli.Usagef("--labels: %s: %w", name, err)
		}
		start, named, ok := strings.Cut(string(l.Text), "\t")
		if named = category.Named([]string{named}, 1); !ok || start == "" || named == "" {
			return nil, cli.Usagef("--labels: %s:%d: want a URL, a tab and a category", name, l.N)
		}
		list = append(list, mark{start, named})
	}
	slices.SortStableFunc(list, func(a, b mark) int { return cmp.Compare(len(b.start), len(a.start)) })
	return list, nil
}

// known returns the known category of a page, "" if it has none: for a file without a URL the
// folders of its path.
func (c *categories) known(r *corpus.Result, v *purify.DocView) string {
	if c.labels != "" {
		for _, m := range c.marks {
			if strings.HasPrefix(r.URL, m.start) {
				return m.category
			}
		}
		return ""
	}
	path := v.Category
	if len(path) == 0 && !strings.Contains(r.URL, "://") {
		folder, _ := filepath.Rel(filepath.ToSlash(r.Argument), filepath.ToSlash(filepath.Dir(r.URL)))
		path = strings.Split(filepath.ToSlash(folder), "/")
	}
	return category.Named(path, c.names)
}

package view

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/corpus/category"
	"gatecrawl.example/gatecrawl/corpus/single"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/purify"
)

// A viewCommand has the flags of view.
type viewCommand struct {
	contact, lines, idf, categories string

	kept   cli.Asker
	asJSON bool
	paint  paintFlags
	text   viewText
	given  *cli.SettingFlags
}

func newView() *cobra.Command {
	var c viewCommand
	cmd := &cobra.Command{
		Use:   "view URL|FILE",
		Short: "Print a page without its template",
		Long: `view prints the DocView of a page: title, type, keywords, and the body with its
lines, lists, tables and code; --links adds the links. If a page has no title its
strongest keyword is used. The category is the one that the page declares; if it
declares none, the model of --categories FILE recognizes it by the page's words.
--markdown prints only the body, as Markdown, and --chunks N prints it in chunks, as
crawl export does. A URL is fetched once, if its robots.txt allows it. With --job the
data stored in the job is printed instead; for a copy without stored data, the kept
page. A FILE may be - for standard input, and compressed by gzip or zstd.

With --html OUT the page is written to the file OUT, or to standard output for -,
for a browser: kept blocks are green, dropped ones grey, each after its score. OUT
has no scripts and fetches nothing; with --load the browser fetches the page's
pictures and style sheets from the web. With --job it is made from the stored bytes,
without the template that the job has learned for the host.

--extract reads fields by CSS selectors, and --keep and --drop select what belongs to
the body; see crawl run -h. --config FILE reads them from a file of settings. With
--job the job's own settings are used.

With --jsonl IN each line of IN is an object with "url" and "html", and for each the
DocView is printed as one JSON object a line, in the order of IN. IN may be -,
compressed by gzip or zstd, or a WARC file, whose pages are then read.`,
		Example: "  crawl view --contact me@example.org https://example.org/story.html\n" +
			"  crawl view page.html --json\n  crawl view page.html --markdown > page.md\n  crawl view page.html --html seen.html\n  crawl view --jsonl pages.jsonl.zst > views.jsonl",
		Args: cobra.MaximumNArgs(1),
	}
	c.given = cli.NewSettingFlags(cmd, []string{"extract", "keep", "drop"})
	fs := cmd.Flags()
	fs.BoolVar(&c.asJSON, "json", false, "print JSON")
	fs.StringVar(&c.contact, "contact", "", "contact for complaints, `URL|MAIL`, sent in the User-Agent; needed off loopback")
	fs.StringVar(&c.kept.Dir, "job", "", "print what the job in folder `DIR` has kept of URL")
	c.kept.ClusterFlags(cmd)
	fs.StringVar(&c.lines, "jsonl", "", "view each line of the file `IN`, or of standard input for -")
	fs.StringVar(&c.idf, "idf", "", "weigh keywords by the table `FILE` of crawl idf build; default: a table of common words, and with --job the job's")
	fs.StringVar(&c.categories, "categories", "", "tell the category of a page that declares none by the model `FILE` of crawl categories --output")
	fs.StringVar(&c.paint.out, "html", "", "write the page with its blocks marked to the file `OUT`, or to standard output for -")
	fs.BoolVar(&c.paint.load, "load", false, "with --html: let the browser load the page's pictures and style sheets")
	c.text.flags(fs)
	cmd.RunE = c.run
	return cmd
}

// check refuses flags that do not go together.
func (c *viewCommand) check(args []string) error {
	if err := c.paint.check(c.asJSON, c.lines); err != nil {
		return err
	}
	if err := c.text.check(c.asJSON, c.lines, c.paint.out); err != nil {
		return err
	}
	switch {
	case (c.lines == "") != (len(args) == 1):
		return cli.Usagef("want either one URL or FILE, or --jsonl IN")
	case c.kept.Cluster.Given() && c.kept.Dir == "":
		return cli.Usagef("--cluster needs --job NAME: what a job there has kept of URL is printed")
	case c.kept.Dir != "" && c.given.Any():
		return cli.Usagef("--extract, --keep, --drop and --config do not go with --job: what it keeps was read by its own settings")
	}
	return nil
}

func (c *viewCommand) run(cmd *cobra.Command, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	words, err := cli.OpenIDF(c.idf)
	if err != nil {
		return cli.Usagef("%w", err)
	}
	entitle, err := newEntitler(c.categories)
	if err != nil {
		return cli.Usagef("--categories: %w", err)
	}
	reader, err := c.given.Reader()
	if err != nil {
		return err
	}
	if c.lines != "" {
		return viewLines(cmd, c.lines, reader, words, entitle)
	}
	show := func(v *purify.DocView, content []byte, contentType string) error {
		if words != nil {
			v.Weigh(words)
		}
		entitle(v)
		if c.text.only() {
			return c.text.write(cmd.OutOrStdout(), v, content, contentType)
		}
		return showView(cmd.OutOrStdout(), v, c.asJSON, c.text.document(v, content, contentType).Text(), c.text.links)
	}
	if c.kept.Dir != "" {
		return viewKept(cmd, &c.kept, args[0], c.asJSON, c.paint, show)
	}
	p, err := cli.ReadSource(cmd, args[0], c.contact)
	if err != nil {
		return err
	}
	if err := notAPage(args[0], p.Content); err != nil && p.URL.IsZero() {
		return err
	}
	p.Reader = reader
	if c.paint.out != "" {
		return c.paint.write(cmd.OutOrStdout(), p)
	}
	return show(p.View(), p.Content, p.Type)
}

// viewLines prints a DocView for each line of a file.
func viewLines(cmd *cobra.Command, name string, reader purify.Reader, words *dedup.IDF, entitle func(*purify.DocView)) error {
	encode := func(w io.Writer, v *purify.DocView) error {
		entitle(v)
		return encodeView(w, v)
	}
	if corpus.IsWARC(name) {
		from := &corpus.Source{Names: []string{name}, Ended: cmd.Context().Err}
		return viewEach(cmd, name, "document", func(emit func(n int, view []byte, err error) error) error {
			return single.Pages(from, reader, words, encode, emit)
		})
	}
	r, name, err := corpus.Open(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	defer r.Close()
	in, err := notLines(name, r)
	if err != nil {
		return err
	}
	return viewEach(cmd, name, "line", func(emit func(n int, view []byte, err error) error) error {
		return single.Lines(in, reader, words, encode, emit)
	})
}

// viewEach prints the views that read passes on from a file, and reports its faults.
func viewEach(cmd *cobra.Command, name, what string, read func(emit func(n int, view []byte, err error) error) error) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	good, bad := 0, 0
	err := read(func(n int, view []byte, err error) error {
		if err == nil {
			good++
			_, err = out.Write(view)
			return err
		}
		if bad++; bad <= cli.BadShown {
			if what == "line" {
				err = fmt.Errorf("%s:%d: %w", name, n, err) // an error about a record has its own position
			}
			fmt.Fprintln(cmd.ErrOrStderr(), err)
		}
		if bad == cli.BadShown && good == 0 {
			return fmt.Errorf("the first %d %ss are all bad: give lines of JSON, each an object with url and html", cli.BadShown, what)
		}
		return nil
	})
	if err := errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if bad > cli.BadShown {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: and %s\n", name, humanize.Many(bad-cli.BadShown, "more bad "+what, "more bad "+what+"s"))
	}
	if bad > 0 {
		return cli.Silent(cli.CodeFailure)
	}
	return nil
}

// newEntitler returns a function that fills in the title and category that a page does not declare:
// its strongest keyword, and if a model of crawl categories is given, the category that it
// recognizes.
func newEntitler(model string) (func(v *purify.DocView), error) {
	if model == "" {
		return (*purify.DocView).Entitle, nil
	}
	m, err := category.Open(model)
	if err != nil {
		return nil, err
	}
	return func(v *purify.DocView) {
		if len(v.Category) == 0 {
			if name := m.Likely(v.Title, v.Body); name != "" {
				v.Category = []string{name}
			}
		}
		v.Entitle()
	}, nil
}

// encodeView writes a DocView as a line of JSON.
func encodeView(w io.Writer, v *purify.DocView) error {
	return console.EncodeLine(w, control.ViewOf(v))
}

// showView prints a DocView with its body as text for a reader, or as JSON.
func showView(w io.Writer, v *purify.DocView, asJSON bool, body string, links bool) error {
	if asJSON {
		return encodeView(w, v)
	}
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-10s %s\n", name+":", value)
		}
	}
	line("title", v.Title)
	line("url", v.URL)
	line("id", v.ID)
	line("type", v.Type+", "+v.Role)
	line("category", strings.Join(v.Category, " / "))
	line("date", v.Date)
	line("author", v.Author)
	line("lang", v.Lang)
	line("charset", v.Charset)
	line("canonical", v.Canonical)
	line("base", v.Base)
	line("refresh", v.Refresh)
	line("robots", v.Robots)
	if v.Template > 0 {
		line("template", fmt.Sprintf("version %d of the site's, which took out %s", v.Template, humanize.Many(v.Dropped, "block", "blocks")))
	}
	if v.TextError != "" {
		line("text", "could not be read: "+v.TextError)
	}
	line("layout", control.LayoutDigits(v))
	words := make([]string, len(v.Keywords))
	for i, k := range v.Keywords {
		words[i] = fmt.Sprintf("%s %.1f", k.Word, k.Weight)
	}
	line("keywords", strings.Join(words, ", "))
	line("abstract", v.Abstract)
	showFields(&b, v.Fields, v.FieldsCut)
	fmt.Fprintf(&b, "\n%s\n", body)
	if links {
		showLinks(&b, v.Links)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// showFields prints what selectors extracted, a value a line.
func showFields(b *strings.Builder, fields purify.Fields, cut []string) {
	if len(fields)+len(cut) > 0 {
		b.WriteString("\nfields\n")
	}
	for _, f := range fields {
		name := f.Name + ":"
		for _, v := range f.Values {
			fmt.Fprintf(b, "  %-14s %s\n", name, v)
			name = ""
		}
	}
	if len(cut) > 0 {
		fmt.Fprintf(b, "  the page has more than is kept of %s\n", strings.Join(cut, ", "))
	}
}

// showLinks lists the links of the body; template links are only counted.
func showLinks(b *strings.Builder, links []purify.Link) {
	template := 0
	for _, l := range links {
		if !l.Body {
			template++
		}
	}
	fmt.Fprintf(b, "\n%s, %d of them in the template\n", humanize.Many(len(links), "link", "links"), template)
	for _, l := range links {
		if l.Body {
			shown := l.URL
			if readable, err := url.PathUnescape(shown); err == nil {
				shown = readable
			}
			fmt.Fprintf(b, "  %s  %s\n", shown, l.Text)
			if l.Context != "" && l.Context != l.Text {
				fmt.Fprintf(b, "      in: %s\n", l.Context)
			}
		}
	}
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/corpus/single"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/document"
)

func newView() *cobra.Command {
	var contact, dir, lines, idf string
	var asJSON bool
	var paint painting
	var text viewText
	cmd := &cobra.Command{
		Use:   "view URL|FILE",
		Short: "Print a page without its template",
		Long: `view prints the DocView of a page: title, type, keywords, and the body with its
lines, lists, tables and listings; --links adds the links. --markdown prints the body
alone, as Markdown, and --chunks N pieces of it, as crawl export does. A URL is
fetched once, as its robots.txt allows; with --job what the job has kept is
printed instead; of a copy of which nothing is kept, the kept page. A FILE may
be - for standard input, and compressed by gzip or zstd.

With --html OUT the page is written to the file OUT, or to standard output for -,
to be looked at in a browser: kept blocks green, dropped ones grey, each behind
its score. OUT has no scripts and fetches nothing; with --load the browser
fetches the page's pictures and style sheets from the web. With --job it is made
of the bytes that the job has kept, without what it knows of the host's template.

--extract reads fields by CSS selectors, and --keep and --drop tell what is body; see
crawl run -h. --config FILE takes them from a file of settings. With --job the page
is as the job's own settings have it.

With --jsonl IN each line of IN is an object with "url" and "html", and a
DocView is printed for each, one JSON object a line, in the order of IN. IN may
be -, compressed by gzip or zstd, or a WARC file: then it is done for its pages.`,
		Example: "  crawl view --contact me@example.org https://example.org/story.html\n" +
			"  crawl view page.html --json\n  crawl view page.html --markdown > page.md\n  crawl view page.html --html seen.html\n  crawl view --jsonl pages.jsonl.zst > views.jsonl",
		Args: cobra.MaximumNArgs(1),
	}
	given := newFlaggedBy(cmd, []string{"extract", "keep", "drop"})
	fs := cmd.Flags()
	fs.BoolVar(&asJSON, "json", false, "print JSON")
	fs.StringVar(&contact, "contact", "", "contact for complaints, `URL|MAIL`, sent in the User-Agent; needed off loopback")
	fs.StringVar(&dir, "job", "", "print what the job in folder `DIR` has kept of URL")
	fs.StringVar(&lines, "jsonl", "", "view each line of the file `IN`, or of standard input for -")
	fs.StringVar(&idf, "idf", "", "weigh keywords by the table `FILE` of crawl idf build; default: a table of common words, and with --job the job's")
	fs.StringVar(&paint.out, "html", "", "write the page with its blocks marked to the file `OUT`, or to standard output for -")
	fs.BoolVar(&paint.load, "load", false, "with --html: let the browser load the page's pictures and style sheets")
	text.flags(fs)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := paint.check(asJSON, lines); err != nil {
			return err
		}
		if err := text.check(asJSON, lines, paint.out); err != nil {
			return err
		}
		if (lines == "") != (len(args) == 1) {
			return usagef("want either one URL or FILE, or --jsonl IN")
		}
		words, err := openIDF(idf)
		if err != nil {
			return usagef("%w", err)
		}
		if dir != "" && (given.file != "" || len(given.order) > 0) {
			return usagef("--extract, --keep, --drop and --config do not go with --job: what it keeps was read by its own settings")
		}
		reader, err := given.reader()
		if err != nil {
			return err
		}
		if lines != "" {
			return viewLines(cmd, lines, reader, words)
		}
		show := func(v *purify.DocView, content []byte, contentType string) error {
			if words != nil {
				v.Weigh(words)
			}
			if text.only() {
				return text.write(cmd.OutOrStdout(), v, content, contentType)
			}
			return showView(cmd.OutOrStdout(), v, asJSON, text.document(v, content, contentType).Text(), text.links)
		}
		if dir != "" {
			return viewKept(cmd, dir, args[0], asJSON, paint, show)
		}
		p, err := readSource(cmd, args[0], contact)
		if err != nil {
			return err
		}
		if err := notAPage(args[0], p.Content); err != nil && p.URL.IsZero() {
			return err
		}
		p.Reader = reader
		if paint.out != "" {
			return paint.write(cmd.OutOrStdout(), p)
		}
		return show(p.View(), p.Content, p.Type)
	}
	return cmd
}

// readSource reads a file or fetches a page.
func readSource(cmd *cobra.Command, arg, contact string) (*single.Page, error) {
	if strings.Contains(arg, "://") {
		u, err := weburl.Parse(arg)
		if err != nil {
			return nil, usagef("%w", err)
		}
		if err := needContact(contact, u); err != nil {
			return nil, err
		}
		return fetchPage(cmd.Context(), u, contact)
	}
	if arg == "-" {
		return single.Read(cmd.InOrStdin(), "text/html")
	}
	f, err := os.Open(arg)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no file %s; a URL begins with http:// or https://", arg)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The charset that the system's table adds is a guess; the page knows better.
	kind, _, _ := mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(arg)))
	p, err := single.Read(f, kind)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	p.File, err = f.Stat()
	return p, err
}

// fetchPage fetches one page as its robots.txt allows.
func fetchPage(ctx context.Context, u weburl.URL, contact string) (*single.Page, error) {
	s := configs.Default()
	s.Contact, s.AllowLoopback = contact, u.Loopback()
	if err := s.Validate(); err != nil {
		return nil, usagef("%w", err)
	}
	c, err := fetch.NewClient(fetch.ClientOptions{Fetch: s.FetchOptions(version())})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	r, err := c.Get(ctx, u)
	switch {
	case err != nil:
		return nil, err
	case r.Location() != "":
		to := r.Location()
		if target, err := u.Parse(to); err == nil {
			to = target.String()
		}
		return nil, fmt.Errorf("%s has moved: view %s", u, to)
	case r.Status < 200 || r.Status > 299:
		return nil, fmt.Errorf("%s: http status %d", u, r.Status)
	case !r.IsHTML() && !r.IsText() && document.KindOf(r.ContentType) == document.None:
		return nil, fmt.Errorf("%s is %s, which has no text to view", u, fetch.DescribeType(r.ContentType))
	}
	return &single.Page{URL: u, Content: r.Body, Type: r.MediaType()}, nil
}

// viewLines prints a DocView for each line of a file.
func viewLines(cmd *cobra.Command, name string, reader purify.Reader, words *dedup.IDF) error {
	if corpus.IsWARC(name) {
		from := &corpus.Source{Names: []string{name}, Ended: cmd.Context().Err}
		return viewEach(cmd, name, "document", func(emit func(n int, view []byte, err error) error) error {
			return single.Pages(from, reader, words, encodeView, emit)
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
		return single.Lines(in, reader, words, encodeView, emit)
	})
}

// viewEach prints what read hands out of a file, and tells its faults.
func viewEach(cmd *cobra.Command, name, what string, read func(emit func(n int, view []byte, err error) error) error) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	good, bad := 0, 0
	err := read(func(n int, view []byte, err error) error {
		if err == nil {
			good++
			_, err = out.Write(view)
			return err
		}
		if bad++; bad <= badShown {
			if what == "line" {
				err = fmt.Errorf("%s:%d: %w", name, n, err) // one of a record says where that is
			}
			fmt.Fprintln(cmd.ErrOrStderr(), err)
		}
		if bad == badShown && good == 0 {
			return fmt.Errorf("the first %d %ss are all bad: give lines of JSON, each an object with url and html", badShown, what)
		}
		return nil
	})
	if err := errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if bad > badShown {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: and %s\n", name, many(bad-badShown, "more bad "+what, "more bad "+what+"s"))
	}
	if bad > 0 {
		return silent(codeFailure)
	}
	return nil
}

// encodeView writes a DocView as a line of JSON.
func encodeView(w io.Writer, v *purify.DocView) error { return encodeLine(w, control.ViewOf(v)) }

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
		line("template", fmt.Sprintf("version %d of the site's, which took out %s", v.Template, many(v.Dropped, "block", "blocks")))
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

// showLinks lists the links of the body; those of the template are counted.
func showLinks(b *strings.Builder, links []purify.Link) {
	template := 0
	for _, l := range links {
		if !l.Body {
			template++
		}
	}
	fmt.Fprintf(b, "\n%s, %d of them in the template\n", many(len(links), "link", "links"), template)
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

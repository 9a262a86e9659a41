package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gatecrawl/configs"
	"gatecrawl/dedup"
	"gatecrawl/fetch"
	"gatecrawl/frontier"
	"gatecrawl/purify"
)

// maxViewBytes bounds a file that is viewed, like a page that is fetched.
const maxViewBytes = 64 << 20

func newView() *cobra.Command {
	var contact, dir, lines, idf string
	var asJSON bool
	var paint painting
	cmd := &cobra.Command{
		Use:   "view URL|FILE",
		Short: "Print a page without its template",
		Long: `view prints the DocView of a page: title, type, keywords, body, links. A URL is
fetched once, as its robots.txt allows; with --job what the job has kept is
printed instead. A FILE may be - for standard input.

With --html OUT the page is written to the file OUT, or to standard output for -,
to be looked at in a browser: kept blocks green, dropped ones grey, each behind
its score. OUT has no scripts and fetches nothing; with --load the browser
fetches the page's pictures and style sheets from the web.

With --jsonl IN each line of IN is an object with "url" and "html", and a
DocView is printed for each, one JSON object a line, in the order of IN. IN may
be -, and compressed by gzip or zstd.`,
		Example: "  crawl view --contact me@example.org https://example.org/story.html\n" +
			"  crawl view page.html --json\n  crawl view page.html --html seen.html\n  crawl view --jsonl pages.jsonl.zst > views.jsonl",
		Args: cobra.MaximumNArgs(1),
	}
	fs := cmd.Flags()
	fs.BoolVar(&asJSON, "json", false, "print JSON")
	fs.StringVar(&contact, "contact", "", "address for complaints, `URL|MAIL`, sent in the User-Agent; needed off loopback")
	fs.StringVar(&dir, "job", "", "print what the job in folder `DIR` has kept of URL")
	fs.StringVar(&lines, "jsonl", "", "view each line of the file `IN`, or of standard input for -")
	fs.StringVar(&idf, "idf", "", "weigh keywords by the table `FILE` of crawl idf build; default: a table of common words, and with --job the job's")
	fs.StringVar(&paint.out, "html", "", "write the page with its blocks marked to the file `OUT`, or to standard output for -")
	fs.BoolVar(&paint.load, "load", false, "with --html: let the browser load the page's pictures and style sheets")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := paint.check(asJSON, dir, lines); err != nil {
			return err
		}
		if (lines == "") != (len(args) == 1) {
			return usagef("want either one URL or FILE, or --jsonl IN")
		}
		words, err := openIDF(idf)
		if err != nil {
			return usagef("%w", err)
		}
		if lines != "" {
			return viewLines(cmd, lines, words)
		}
		show := func(v *purify.DocView) error {
			if words != nil {
				v.Weigh(words)
			}
			return showView(cmd.OutOrStdout(), v, asJSON)
		}
		if dir != "" {
			u, err := frontier.ParseSeed(args[0])
			if err != nil {
				return usagef("%w", err)
			}
			a := asker{dir: dir, asJSON: asJSON}
			return each(&a, cmd, question{verb: "view", url: u.String()}, show)
		}
		p, err := readSource(cmd, args[0], contact)
		if err != nil {
			return err
		}
		if paint.out != "" {
			return paint.write(cmd.OutOrStdout(), p)
		}
		return show(p.view())
	}
	return cmd
}

// A rawPage is what there is to view.
type rawPage struct {
	url         frontier.URL // zero for a file
	content     []byte
	contentType string
	file        os.FileInfo // nil for what is not a file
}

// view reduces the page, and makes its links absolute if its address is known.
func (p *rawPage) view() *purify.DocView {
	v := p.read()
	if p.url == (frontier.URL{}) {
		if base, err := frontier.Parse(v.Base); err == nil {
			resolve(v, base)
		}
		return v
	}
	v.ID, v.URL = p.url.Key().String(), p.url.String()
	resolve(v, p.url)
	return v
}

// read reads a feed as one, as a crawl does, and anything else as a page.
func (p *rawPage) read() *purify.DocView {
	switch frontier.ListingOf(p.content) {
	case frontier.ListingRSS, frontier.ListingAtom:
		return purify.Feed(p.content, p.contentType)
	}
	if p.url == (frontier.URL{}) {
		return purify.Purify(p.content, p.contentType)
	}
	return purify.PurifyAt(p.url.String(), p.content, p.contentType)
}

// readSource reads a file or fetches a page.
func readSource(cmd *cobra.Command, arg, contact string) (*rawPage, error) {
	if strings.Contains(arg, "://") {
		u, err := frontier.Parse(arg)
		if err != nil {
			return nil, usagef("%w", err)
		}
		if err := needContact(contact, u); err != nil {
			return nil, err
		}
		return fetchPage(cmd.Context(), u, contact)
	}
	if arg == "-" {
		return readFile(cmd.InOrStdin(), "text/html")
	}
	f, err := os.Open(arg)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("no file %s; an address begins with http:// or https://", arg)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The charset that the system's table adds is a guess; the page knows better.
	kind, _, _ := mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(arg)))
	p, err := readFile(f, kind)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	p.file, err = f.Stat()
	return p, err
}

func readFile(r io.Reader, contentType string) (*rawPage, error) {
	content, err := io.ReadAll(io.LimitReader(r, maxViewBytes))
	if err != nil {
		return nil, err
	}
	return &rawPage{content: content, contentType: contentType}, nil
}

// fetchPage fetches one page as its robots.txt allows.
func fetchPage(ctx context.Context, u frontier.URL, contact string) (*rawPage, error) {
	s := configs.Default()
	s.Contact, s.AllowLoopback = contact, u.Loopback()
	if err := s.Validate(); err != nil {
		return nil, usagef("%w", err)
	}
	f, err := fetch.New(s.FetchOptions(version()))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if v := f.Robots(ctx, u.Origin()).Rules().Check(fetch.Token, u); !v.Allowed {
		return nil, fmt.Errorf("%s: its robots.txt forbids it, line %d: %s", u, v.Line, v.Rule)
	}
	r, err := f.Fetch(ctx, u)
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
	case !r.IsHTML() && !r.IsText():
		return nil, fmt.Errorf("%s is %s, which has no text to view", u, r.ContentType)
	}
	kind := r.Header.Get("Content-Type")
	if kind == "" {
		kind = r.ContentType
	}
	return &rawPage{url: u, content: r.Body, contentType: kind}, nil
}

// resolve makes the links of a page absolute; those that are no address stay
// as they are written.
func resolve(v *purify.DocView, page frontier.URL) {
	base := page
	if b, err := page.Parse(v.Base); err == nil && v.Base != "" {
		base = b
	}
	for i := range v.Links {
		if u, err := base.Parse(v.Links[i].URL); err == nil {
			v.Links[i].URL = u.String()
		}
	}
}

// viewLines prints a DocView for each line of a file.
func viewLines(cmd *cobra.Command, name string, words *dedup.IDF) error {
	r, name, err := openLines(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	defer r.Close()
	out := bufio.NewWriter(cmd.OutOrStdout())
	bad := 0
	view := func(line []byte) ([]byte, error) { return viewLine(line, words) }
	err = inOrder(numbered(r), view, func(n int, view []byte, err error) error {
		if err != nil {
			bad++
			fmt.Fprintf(cmd.ErrOrStderr(), "%s:%d: %v\n", name, n, err)
			return nil
		}
		_, err = out.Write(view)
		return err
	})
	if err := errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if bad > 0 {
		return silent(codeFailure)
	}
	return nil
}

// viewLine turns one line of input into one of output.
func viewLine(line []byte, words *dedup.IDF) ([]byte, error) {
	var in struct {
		URL  string  `json:"url"`
		HTML *string `json:"html"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, fmt.Errorf("not an object with url and html: %w", err)
	}
	if in.HTML == nil {
		return nil, errors.New(`no "html" in the object`)
	}
	v := purify.PurifyAt(in.URL, []byte(*in.HTML), "text/html; charset=utf-8")
	v.URL = in.URL
	if words != nil {
		v.Weigh(words)
	}
	if u, err := frontier.Parse(in.URL); err == nil {
		resolve(v, u)
	}
	var b bytes.Buffer
	err := encodeView(&b, v)
	return b.Bytes(), err
}

// encodeView writes a DocView as a line of JSON. Its layout is hexadecimal there, as in
// showView: many readers take numbers for floating point, which has 53 bits.
func encodeView(w io.Writer, v *purify.DocView) error {
	return encodeLine(w, struct {
		*purify.DocView
		Layout string `json:"layout,omitempty"`
	}{v, layoutDigits(v)})
}

// layoutDigits is a DocView's layout in hexadecimal, or empty if it has none.
func layoutDigits(v *purify.DocView) string {
	if v.Layout == 0 {
		return ""
	}
	return fmt.Sprintf("%016x", v.Layout)
}

// showView prints a DocView for a reader, or as JSON.
func showView(w io.Writer, v *purify.DocView, asJSON bool) error {
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
		line("template", fmt.Sprintf("version %d of the site's, which took out %d blocks", v.Template, v.Dropped))
	}
	line("layout", layoutDigits(v))
	words := make([]string, len(v.Keywords))
	for i, k := range v.Keywords {
		words[i] = fmt.Sprintf("%s %.1f", k.Word, k.Weight)
	}
	line("keywords", strings.Join(words, ", "))
	line("abstract", v.Abstract)
	fmt.Fprintf(&b, "\n%s\n", v.Body)
	showLinks(&b, v.Links)
	_, err := io.WriteString(w, b.String())
	return err
}

// showLinks lists the links of the body; those of the template are counted.
func showLinks(b *strings.Builder, links []purify.Link) {
	template := 0
	for _, l := range links {
		if !l.Body {
			template++
		}
	}
	fmt.Fprintf(b, "\n%d links, %d of them in the template\n", len(links), template)
	for _, l := range links {
		if l.Body {
			address := l.URL
			if readable, err := url.PathUnescape(address); err == nil {
				address = readable
			}
			fmt.Fprintf(b, "  %s  %s\n", address, l.Text)
			if l.Context != "" && l.Context != l.Text {
				fmt.Fprintf(b, "      in: %s\n", l.Context)
			}
		}
	}
}

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"gatecrawl"
	"gatecrawl/configs"
	"gatecrawl/dedup"
	"gatecrawl/purify"
)

func newDedup() *cobra.Command {
	var b batch
	cmd := &cobra.Command{
		Use:   "dedup FILE|DIR...",
		Short: "Find the copies among pages that you have",
		Long: `dedup tells of each page of a collection whether it is new or a copy, and of
which page before it, by the gate of a crawl. It prints a line a page in the
order of the input; crawl pages has the same lines.

FILE is a WARC file (.warc, .warc.gz, .warc.zst), or has a JSON object a line,
  {"url":"...","html":"..."}  or  {"url":"...","text":"..."}
and may be compressed by gzip or zstd; - is standard input. A text is compared as
it is, a page without its template. Of a DIR the .html, .htm and .txt files are
read, folders within it too, by name; links to files are not followed.

Of a WARC file the records response, resource and conversion are read; redirects
and error pages get a line, and are not compared. A revisit has no body, and no
line. A line or a record that cannot be read is named on stderr and gets no line;
the rest is read, and the exit code is 1.

With --groups the pages that are copies are printed together, the first of each
group before the others. Groups are joined: a page that is near two kept pages
makes one group of both, of which the first is kept.

--dedup mark and discard say the same here; off finds nothing. Verdicts do not
depend on --workers.

Bodies are not kept. Memory is some 400 bytes a page that is new and 8 bytes a
copy, with --groups 12 more a page, beside 5 pages in hand for each worker; a
file in the folder for temporary files takes some 200 bytes a page.`,
		Example: "  crawl dedup archive.warc.gz\n" +
			"  crawl dedup pages.jsonl.zst --json | jq -r 'select(.verdict==\"new\") | .url'\n" +
			"  crawl dedup saved-pages/ --groups",
		Args: cobra.MinimumNArgs(1),
	}
	given := newFlaggedBy(cmd, dedupSettings())
	fs := cmd.Flags()
	fs.BoolVar(&b.asJSON, "json", false, "print JSON, one object a line")
	fs.BoolVar(&b.groups, "groups", false, "print groups of copies, the kept page first")
	fs.IntVar(&b.workers, "workers", 0, "pages that are read at the same time, `N`; 0 is one a processor")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s, err := given.over(configs.Default())
		if err != nil {
			return err
		}
		return b.run(cmd, args, s)
	}
	return cmd
}

// dedupSettings are the names of the gate's settings.
func dedupSettings() (names []string) {
	for _, k := range configs.Keys() {
		if k.Name == "dedup" || strings.HasPrefix(k.Name, "dedup-") {
			names = append(names, k.Name)
		}
	}
	return names
}

// A batch is a collection on its way through the gate.
type batch struct {
	asJSON  bool
	groups  bool
	workers int

	out    *bufio.Writer
	screen *screen
	gate   *dedup.Gate
	spool  *spool
	joined *joins // with groups
	bad    int    // lines and records that could not be read
	begun  time.Time
}

func (b *batch) run(cmd *cobra.Command, args []string, s configs.Settings) (err error) {
	if b.workers < 0 {
		return usagef("--workers: %d: want 1 or more, or 0 for one a processor", b.workers)
	}
	if b.workers == 0 {
		b.workers = runtime.GOMAXPROCS(0)
	}
	if b.spool, err = newSpool(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.spool.close()) }()
	if b.gate, err = dedup.NewGate(s.DedupOptions(), b.spool); err != nil {
		return err
	}
	if b.groups {
		b.joined = new(joins)
	}
	b.out, b.screen, b.begun = bufio.NewWriterSize(cmd.OutOrStdout(), 1<<16), newScreen(cmd.ErrOrStderr()), time.Now()
	c := &collection{names: args, stdin: cmd.InOrStdin(), maxBody: int64(s.MaxBody)}
	err = inTurn(c.all, b.workers, sign, b.settle)
	if err == nil && b.groups {
		err = b.printGroups()
	}
	b.screen.show("")
	switch err := errors.Join(err, b.out.Flush()); {
	case err != nil:
		return err
	case b.bad > 0:
		return silent(codeFailure)
	case len(b.spool.places) == 0:
		return fmt.Errorf("no pages in %s%s", strings.Join(args, ", "), c.without())
	}
	return nil
}

// without says what a collection has in place of pages.
func (c *collection) without() string {
	if c.skipped > 0 {
		return fmt.Sprintf(", but %s of pages elsewhere", many(c.skipped, "revisit record", "revisit records"))
	}
	return ""
}

// A signed is a page that was read: its signature, and what of it is
// printed.
type signed struct {
	batchPage
	sign dedup.Signature
	text dedup.Text
	page gatecrawl.Page
}

// sign reads a page. It changes nothing, and runs on many goroutines.
func sign(d batchPage) signed {
	s := signed{batchPage: d, page: gatecrawl.Page{
		URL: d.url, Status: d.status, Fetched: d.fetched, Bytes: int64(len(d.body)), Truncated: d.truncated,
	}}
	s.body = nil // only the signature goes on
	kind, readable := d.readable()
	s.page.Type, _, _ = strings.Cut(strings.ToLower(kind), ";")
	if d.fault != nil || d.answered() != "" {
		return s
	}
	view := new(purify.DocView)
	if readable {
		view = purify.PurifyAt(d.url, d.body, kind)
	}
	s.sign, s.text = dedup.Sign(d.body, view), dedup.TextOf(view)
	p := &s.page
	p.Title, p.Lang, p.PageType, p.Charset = view.Title, view.Lang, view.Type, view.Charset
	p.Links, p.Digest = len(view.Links), s.sign.Bytes.String()
	if s.sign.Tokens > 0 {
		p.SimHash, p.BodyTokens = fmt.Sprintf("%016x", s.sign.SimHash), int(s.sign.Tokens)
	}
	return s
}

// answered says why an answer is no document; "" for one that is.
func (d *batchPage) answered() string {
	switch {
	case d.redirect():
		return "redirects to " + d.location
	case d.status != 0 && (d.status < 200 || d.status > 299):
		return strings.TrimSpace(fmt.Sprintf("http %d %s", d.status, strings.ToLower(http.StatusText(d.status))))
	}
	return ""
}

// settle asks the gate, in the order of the input, and prints the answer.
func (b *batch) settle(s signed) error {
	if s.fault != nil {
		b.bad++
		fmt.Fprintln(b.screen, s.fault)
		return nil
	}
	doc, p := b.spool.next(), &s.page
	p.Seq = uint64(doc)
	var v dedup.Verdict
	switch p.Reason = s.answered(); {
	case s.redirect():
		p.Verdict, p.Rule, p.Location = gatecrawl.VerdictRefused, "redirect", s.location
	case p.Reason != "":
		p.Verdict = gatecrawl.VerdictFailed
	default:
		var err error
		if v, err = b.claim(doc, &s); err != nil {
			return err
		}
	}
	if err := b.spool.add(s.url, s.sign, s.text, v); err != nil {
		return err
	}
	b.progress(int(doc))
	if b.groups {
		return nil
	}
	return b.print(&s, v)
}

// claim makes the page a keeper or names the keeper.
func (b *batch) claim(doc dedup.DocID, s *signed) (dedup.Verdict, error) {
	if b.groups {
		near, err := b.gate.Neighbours(s.sign, &s.text, maxJoined)
		if err != nil {
			return dedup.Verdict{}, err
		}
		for _, v := range near {
			b.joined.join(v.Of, doc)
		}
	}
	v, err := b.gate.Claim(doc, s.sign, &s.text)
	if err != nil {
		return v, err
	}
	p := &s.page
	p.Verdict = gatecrawl.VerdictNew
	if v.Copy() {
		_, url, err := b.spool.page(v.Of)
		if err != nil {
			return v, err
		}
		p.Verdict, p.Of, p.Reason = gatecrawl.VerdictCopy, url, v.Reason()
		p.Class, p.Level, p.Distance, p.Similarity = v.Class.String(), int(v.Level), v.Distance, v.Similarity
	}
	return v, nil
}

// A judged is a line of dedup: fields of a page record, and where the page
// stands.
type judged struct {
	Seq        uint64            `json:"seq"`
	URL        string            `json:"url"`
	Status     int               `json:"status"`
	Verdict    gatecrawl.Verdict `json:"verdict"`
	Of         string            `json:"of"`
	OfSeq      dedup.DocID       `json:"of_seq"`
	Class      string            `json:"class"`
	Level      int               `json:"level"`
	Distance   int               `json:"distance"`
	Similarity float64           `json:"similarity"`
	Reason     string            `json:"reason"`
	Rule       string            `json:"rule,omitempty"`
	Location   string            `json:"location,omitempty"`
	Fetched    *time.Time        `json:"fetched,omitempty"`
	Type       string            `json:"content_type"`
	Charset    string            `json:"charset,omitempty"`
	Bytes      int64             `json:"bytes"`
	Truncated  bool              `json:"truncated,omitempty"`
	Title      string            `json:"title,omitempty"`
	Lang       string            `json:"lang,omitempty"`
	PageType   string            `json:"page_type,omitempty"`
	Digest     string            `json:"digest,omitempty"`
	SimHash    string            `json:"simhash,omitempty"`
	BodyTokens int               `json:"body_tokens,omitempty"`
	Links      int               `json:"links"`
	File       string            `json:"file"`
	Line       int               `json:"line,omitempty"`
	Offset     *int64            `json:"offset,omitempty"` // of a WARC record
	Inside     int64             `json:"inside,omitempty"`
}

func (b *batch) print(s *signed, v dedup.Verdict) error {
	p := s.page
	if !b.asJSON {
		p.URL, p.Of, p.Reason = oneLine(p.URL), oneLine(p.Of), oneLine(p.Reason)
		return showPage(b.out, p)
	}
	j := judged{
		Seq: p.Seq, URL: p.URL, Status: p.Status, Verdict: p.Verdict, Of: p.Of, OfSeq: v.Of,
		Class: p.Class, Level: p.Level, Distance: p.Distance, Similarity: p.Similarity,
		Reason: p.Reason, Rule: p.Rule, Location: p.Location, Type: p.Type, Charset: p.Charset,
		Bytes: p.Bytes, Truncated: p.Truncated, Title: p.Title, Lang: p.Lang, PageType: p.PageType,
		Digest: p.Digest, SimHash: p.SimHash, BodyTokens: p.BodyTokens, Links: p.Links,
		File: s.file, Line: s.line,
	}
	if s.place != nil {
		j.Offset, j.Inside = &s.place.Offset, s.place.Inside
	}
	if !p.Fetched.IsZero() {
		j.Fetched = &p.Fetched
	}
	return encodeLine(b.out, j)
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

// progress shows how far a batch is, where a terminal watches.
func (b *batch) progress(n int) {
	if b.screen.width == nil || n%256 != 0 {
		return
	}
	took := time.Since(b.begun)
	b.screen.show(fmt.Sprintf("%s  %s pages %.0f/s", took.Truncate(time.Second), count(int64(n)), float64(n)/took.Seconds()))
}

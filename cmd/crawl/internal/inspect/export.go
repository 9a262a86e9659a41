package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/version"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/export"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
)

// exportCommand has the flags of export.
type exportCommand struct {
	dir, format, verdict, since, shard string
	cluster                            cli.Cluster
	fields                             []string
	o                                  export.Options
}

func newExport() *cobra.Command {
	var x exportCommand
	cmd := &cobra.Command{
		Use:   "export [FILE...]",
		Short: "Write pages as JSON lines, CSV, Parquet, Markdown, text, WARC or WACZ",
		Long: `export writes the kept data of a job, from one snapshot, also while a crawl works on
the job. Without flags it prints the kept pages as JSON lines: one page for each group
of copies, its text without the template of its site.

  jsonl, csv, parquet   a row per page; --fields chooses the columns (docs/export.md)
  markdown, text        the text with its headings, lists, tables and listings, behind
                        front matter; -o DIR/ gives each page a file of its own
  wet                   WARC records of the plain text
  warc                  WARC records of the pages
  wacz                  an archive in one file, with text and index: ReplayWeb.page opens it
  edges                 a line of CSV for each link: source, target, text, nofollow, body

-o names a file, or a folder if it ends in / or --shard-size is given. The name says the format
if --format does not: pages.csv.gz. Files whose names end in .gz or .zst are compressed. A file
or folder gets its name when it is complete, and a folder that has files is refused.

With FILEs (WARC, ARC or WACZ, JSON lines with url and html, folders of these), their pages are written instead
of a job's: new pages by the gate's verdict, or those of --verdict; not as warc, wacz or
edges.

With --cluster the nodes of a cluster are asked, and each reads a snapshot of each of its
partitions. If a node with a partition of the job does not answer, nothing is written.

--chunks N cuts texts at headings and paragraphs into chunks of about N words, one row
each, with the headings above it and its offset in the page's text.`,
		Example: "  crawl export --job news -o news.jsonl.zst\n" +
			"  crawl export --job news -o news.parquet --lang en --min-words 100\n" +
			"  crawl export --job docs --format markdown -o docs/\n" +
			"  crawl export --job news --verdict copy --fields url,of,similarity --format csv\n" +
			"  crawl export --job docs -o docs.wacz --title \"Our manual\"\n" +
			"  crawl export --cluster 127.0.0.1:4222 --job news -o news.jsonl.zst\n" +
			"  crawl export old.warc.gz --format markdown -o old/\n" +
			"  crawl export --job docs --chunks 200 --fields url,headings,markdown",
		RunE: func(cmd *cobra.Command, files []string) error { return x.run(cmd, files) },
	}
	fs := cmd.Flags()
	fs.StringVar(&x.dir, "job", cli.DefaultJob, "the job's folder `DIR`")
	fs.StringVar(&x.format, "format", "", "write `FORMAT`: jsonl, csv, parquet, markdown, text, wet, warc, wacz or edges; default: by the name in -o, or jsonl")
	fs.StringVarP(&x.o.Path, "out", "o", "", "write the file or folder `PATH`; default, and for -: standard output")
	fs.StringVar(&x.shard, "shard-size", "", "write a folder of files of `SIZE` each, such as 500MB, before compression")
	fs.StringSliceVar(&x.fields, "fields", nil, "columns `NAME,...`; default: "+strings.Join(export.DefaultFields(), ","))
	fs.StringVar(&x.verdict, "verdict", "new", "only pages with this `VERDICT`: new, copy, refused, failed or all")
	fs.StringSliceVar(&x.o.Langs, "lang", nil, "only pages in these languages `LANG,...`; en is en-US too")
	fs.StringSliceVar(&x.o.Hosts, "host", nil, "only pages of these hosts `HOST,...` and those below them")
	fs.IntVar(&x.o.MinWords, "min-words", 0, "only pages whose text has `N` words or more")
	fs.StringVar(&x.since, "since", "", "only pages fetched since `TIME`: 2026-11-01, 2026-11-01T12:00:00Z, or 7d or 12h ago")
	fs.Float64Var(&x.o.Relevance, "relevance", 0, "only pages with this relevance to the crawl's topic or more, `X` from 0 to 1; default 0, without pages that --focus-keep kept and that are off the topic by what was learned later")
	fs.BoolVar(&x.o.Links, "links", false, "keep the links in Markdown")
	fs.StringVar(&x.o.Title, "title", "", "the title of a WACZ; default: the URL of its first page")
	fs.StringVar(&x.o.Description, "description", "", "what a WACZ is about")
	fs.IntVar(&x.o.Chunks, "chunks", 0, "cut texts into pieces of about `N` words, a row each")
	x.cluster.Flags(cmd)
	return cmd
}

func (x *exportCommand) run(cmd *cobra.Command, files []string) error {
	if err := x.options(cmd); err != nil {
		return cli.Usagef("%w", err)
	}
	ctx, stop := cli.UntilInterrupt(cmd.Context(), cmd.ErrOrStderr(), "", func() {})
	defer stop()
	if len(files) > 0 {
		return x.files(ctx, cmd, files)
	}
	rows := cli.Client(x.dir).Rows
	if x.cluster.Given() {
		rows = func(ctx context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
			return x.cluster.Rows(ctx, x.dir, want, fn)
		}
	} else if !crawl.Exists(x.dir) {
		return cli.NoJob(x.dir)
	}
	e, err := export.New(x.o)
	if err != nil {
		return err
	}
	err = rows(ctx, e.Wanted(), func(r *gatecrawl.Row) error { return errors.Join(ctx.Err(), e.Write(r)) })
	if err != nil {
		return stopped(ctx, e, err)
	}
	tally, err := e.Finish()
	if err != nil {
		return err
	}
	x.tell(cmd, tally)
	return nil
}

// stopped takes away what was written of an export that failed, or that Ctrl-C ended.
func stopped(ctx context.Context, e *export.Exporter, err error) error {
	if ctx.Err() == nil {
		return e.Abort(err)
	}
	if err := e.Abort(nil); err != nil {
		return err
	}
	return cli.Interrupted(errors.New("interrupted: no file was written"))
}

// files writes the pages of files and folders. A page without a URL is a fault.
func (x *exportCommand) files(ctx context.Context, cmd *cobra.Command, files []string) error {
	switch {
	case cmd.Flags().Changed("job") || x.cluster.Given():
		return cli.Usagef("give either --job or files")
	case x.o.Format == export.WARC || x.o.Format == export.WACZ || x.o.Format == export.Edges:
		return cli.Usagef("--format %s is of a job: of files want jsonl, csv, parquet, markdown, text or wet", x.o.Format)
	}
	b, err := corpus.NewBatch(corpus.Options{Dedup: configs.Default().DedupOptions()})
	if err != nil {
		return err
	}
	faults, read, rows := &cli.Faults{To: cmd.ErrOrStderr()}, 0, 0
	b.Fault = faults.Tell
	e, err := export.New(x.o)
	if err != nil {
		return err
	}
	from := &corpus.Source{Names: files, Stdin: cmd.InOrStdin(), Ended: ctx.Err}
	_, err = b.Rows(from, func(r *gatecrawl.Row, p corpus.Page) error {
		read++
		if x.o.Verdict != "" && r.Page.Verdict != x.o.Verdict {
			return nil
		}
		if _, err := weburl.Parse(r.Page.URL); err != nil {
			if p.Place == nil && p.Line == 0 {
				err = errors.New("a page in a folder has no URL, which an export needs")
			}
			faults.Tell(fmt.Errorf("%s is left out: %w", cmp.Or(r.Page.URL, "a page of "+p.File), err))
			return nil
		}
		if p.Place != nil {
			r.File, r.Offset = p.File, p.Place.Offset
		}
		rows++
		return e.Write(r)
	})
	faults.End()
	if err == nil && rows == 0 && faults.N > 0 {
		err = errors.New("none of the pages could be read; nothing was written")
	} else if err == nil && read == 0 {
		err = fmt.Errorf("no pages in %s; nothing was written", strings.Join(files, ", "))
	}
	if err != nil {
		return stopped(ctx, e, err)
	}
	tally, err := e.Finish()
	if err != nil {
		return err
	}
	x.dir = strings.Join(files, ", ")
	x.tell(cmd, tally)
	if faults.N > 0 {
		return cli.Silent(cli.CodeFailure)
	}
	return nil
}

// options reads the flags that are not options as they stand.
func (x *exportCommand) options(cmd *cobra.Command) error {
	var err error
	if x.format != "" {
		if x.o.Format, err = export.ParseFormat(x.format); err != nil {
			return fmt.Errorf("--format: %w", err)
		}
	} else if x.o.Format, err = formatOf(x.o.Path); err != nil && x.shard == "" {
		return fmt.Errorf("--out: %w", err)
	}
	x.o.OffTopic = cmd.Flags().Changed("relevance") || x.verdict != string(page.VerdictNew)
	switch v := page.Verdict(x.verdict); v {
	case page.VerdictNew, page.VerdictCopy, page.VerdictRefused, page.VerdictFailed:
		x.o.Verdict = v
	case "all", "":
	default:
		return fmt.Errorf("--verdict: there is no verdict %q: want new, copy, refused, failed or all", x.verdict)
	}
	if x.since != "" {
		if x.o.Since, err = sinceOf(x.since, time.Now()); err != nil {
			return fmt.Errorf("--since: %w", err)
		}
	}
	if x.shard != "" {
		var size configs.Size
		if err := size.UnmarshalText([]byte(x.shard)); err != nil {
			return fmt.Errorf("--shard-size: %w", err)
		}
		if size == 0 {
			return fmt.Errorf("--shard-size: want 1 byte or more")
		}
		x.o.ShardBytes = int64(size)
	}
	x.o.Fields = x.fields
	if x.o.Path == "-" {
		x.o.Path = ""
	}
	if x.o.Out, err = x.stream(cmd); err != nil {
		return err
	}
	x.o.Software = "gatecrawl/" + version.Short()
	if x.cluster.Given() {
		s, err := x.cluster.Settings(cmd.Context(), x.dir)
		if err != nil {
			return err
		}
		x.o.About = s.ArchiveAbout(version.Short())
		return x.o.Validate()
	}
	x.o.Archive = filepath.Join(x.dir, "warc")
	if s, err := crawl.SettingsOf(x.dir); err == nil { // of a damaged job the pages count, not who made it
		x.o.About = s.ArchiveAbout(version.Short())
	}
	return x.o.Validate()
}

// formatOf returns the format that the name of a file says, such as CSV of pages.csv.gz; JSON lines if it says none.
// A name such as pages.sqlite is an error as well: what it says is not what would be in the file. A folder may be named
// after a site.
func formatOf(path string) (export.Format, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() || strings.HasSuffix(path, "/") {
		return export.JSONL, nil
	}
	name := strings.ToLower(path)
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	ext := strings.TrimPrefix(filepath.Ext(name), ".")
	switch ext {
	case "txt":
		return export.Text, nil
	case "json", "ndjson":
		return export.JSONL, nil
	}
	if f, err := export.ParseFormat(ext); err == nil {
		return f, nil
	}
	if !fileExtension().MatchString(ext) {
		return export.JSONL, nil
	}
	return export.JSONL, fmt.Errorf("%s: no export has the format of that name: give another name, or --format", path)
}

// fileExtension matches what names a format at the end of a file's name: not a date, a version or one letter.
var fileExtension = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9]{1,9}$`) })

// stream returns standard output: as it is for a file or a program, which get every byte,
// and to a terminal without what would steer it.
func (x *exportCommand) stream(cmd *cobra.Command) (io.Writer, error) {
	out := cmd.OutOrStdout()
	if x.o.Path == "" && (x.o.Format == export.Parquet || x.o.Format == export.WACZ) && console.OnTerminal(out) {
		return nil, fmt.Errorf("%s is not text for a terminal: name a file with -o", x.o.Format)
	}
	return console.Verbatim(out), nil
}

// sinceOf reads a day, a time, or how long ago something was.
func sinceOf(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339, time.DateTime} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	ago := text
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		if err == nil && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(ago); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, fmt.Errorf("%q is not a time: want a day such as 2026-11-01, a time such as 2026-11-01T12:00:00Z, or 7d or 12h for how long ago", text)
}

// tell says what was written, on stderr.
func (x *exportCommand) tell(cmd *cobra.Command, t export.Tally) {
	w := cmd.ErrOrStderr()
	if t.OffTopic > 0 {
		fmt.Fprintf(w, "%s left out: kept, and off the topic by what was learned later; --relevance 0 writes such pages too\n", humanize.Many(t.OffTopic, "page", "pages"))
	}
	if t.Rows == 0 {
		fmt.Fprintf(w, "no page of %s is of that kind: what was written has no rows\n", x.dir)
		if x.o.Relevance > 0 {
			fmt.Fprintln(w, "only pages of a crawl with a topic (--topic, --like) have a relevance")
		}
	} else if t.Files > 0 {
		where := x.o.Path
		if t.Files > 1 {
			where = fmt.Sprintf("%s in %s", x.o.Path, humanize.Many(t.Files, "file", "files"))
		}
		what := humanize.Many(int(t.Pages), "page", "pages")
		if t.Rows != t.Pages {
			what = fmt.Sprintf("%s of %s", humanize.Many(int(t.Rows), "row", "rows"), what)
		}
		if t.Requisites > 0 {
			what += " and " + humanize.Many(int(t.Requisites), "file that they need", "files that they need")
		}
		fmt.Fprintf(w, "wrote %s to %s\n", what, where)
	}
	if t.Bare > 0 {
		fmt.Fprintf(w, "%s left out: nothing is kept of them that %s could have\n", humanize.Many(int(t.Bare), "page", "pages"), x.o.Format)
	}
}

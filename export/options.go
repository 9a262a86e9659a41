package export

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/warc"
)

// A Format is a format of an export.
type Format string

// The formats.
const (
	JSONL    Format = "jsonl"    // one object a line
	CSV      Format = "csv"      // RFC 4180, with a header line
	Parquet  Format = "parquet"  // typed columns, zstd
	Markdown Format = "markdown" // CommonMark after front matter
	Text     Format = "text"     // plain text after front matter
	WET      Format = "wet"      // WARC conversion records of plain text
	WARC     Format = "warc"     // WARC records of the pages
	WACZ     Format = "wacz"     // an archive in one file, for ReplayWeb.page
	Edges    Format = "edges"    // CSV of the links of kept pages
)

// Formats are all formats.
var Formats = []Format{JSONL, CSV, Parquet, Markdown, Text, WET, WARC, WACZ, Edges}

// ParseFormat reads the name of a format.
func ParseFormat(name string) (Format, error) {
	f := Format(strings.ToLower(name))
	if f == "md" {
		f = Markdown
	}
	if !slices.Contains(Formats, f) {
		names := make([]string, len(Formats))
		for i, f := range Formats {
			names[i] = string(f)
		}
		return "", fmt.Errorf("there is no format %q: want %s or %s", name, strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
	}
	return f, nil
}

// isTable reports whether a format has fields.
func (f Format) isTable() bool { return f == JSONL || f == CSV || f == Parquet }

// Options say what is exported, and to where.
type Options struct {
	Format Format

	// Fields are the columns of JSONL, CSV and Parquet, in their order; see FieldNames. In addition
	// fields.NAME is the first value that a selector of the crawl found on the page
	// (gatecrawl.Options.Extract), and fields.NAME[] the list of all. Default: DefaultFields, with
	// those of a chunk if Chunks is set.
	Fields []string

	Links bool // Markdown keeps the links of the text

	// Chunks cuts each page's text into chunks of about this many words, one row each. Default 0:
	// one row a page.
	Chunks int

	// Which rows are exported; zero values export all.
	Verdict   page.Verdict //
	Langs     []string     // "en" is en-US too
	Hosts     []string     // and their subdomains
	MinWords  int          // of the text
	Since     time.Time    // fetched then or later
	Relevance float64      // least relevance to the topic of a focused crawl, 0 to 1
	OffTopic  bool         // kept pages too that are marked as off the topic; copies and others are not marked

	// Path is the output file or folder. A name that ends in .gz or .zst is compressed accordingly;
	// one that ends in / is a folder, and with ShardBytes it always is one. An existing folder must
	// be empty. Default "": the output is Out.
	Path string
	Out  io.Writer

	// ShardBytes starts another file of the folder after this many bytes before compression.
	// Default 0: one file, except for Markdown and Text, whose folders have a file for each page.
	ShardBytes int64

	// Archive is the folder of the job's WARC files; "" or a folder that does not exist: there are
	// none.
	Archive string

	Software string // name and version of the program, "gatecrawl/1.2", for WARC, WET and WACZ

	// Title and Description are of a WACZ. Default: the URL of its first page, and none.
	Title, Description string

	// About are the fields of the first record of WARC and WACZ. Default: software and
	// format.
	About warc.Fields
}

// langCode is the form of a language tag (RFC 5646): a code of two or three letters, and what follows.
var langCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$`) })

// unknown returns the names in Fields that are not fields, quoted.
func (o *Options) unknown() (names []string) {
	for _, name := range o.Fields {
		if fieldNamed(name) == nil {
			names = append(names, strconv.Quote(name))
		}
	}
	return names
}

// Validate reports every fault at once.
func (o *Options) Validate() error {
	var errs []error
	if !slices.Contains(Formats, o.Format) {
		_, err := ParseFormat(string(o.Format))
		errs = append(errs, err)
	}
	if names := o.unknown(); len(names) > 0 {
		are := "is no field"
		if len(names) > 1 {
			are = "are no fields"
		}
		errs = append(errs, fmt.Errorf("there %s %s: want some of %s, or fields.NAME of the setting extract", are, strings.Join(names, ", "), strings.Join(FieldNames(), ", ")))
	}
	if len(o.Fields) > 0 && !o.Format.isTable() {
		errs = append(errs, fmt.Errorf("%s has no fields to choose", o.Format))
	} else if len(o.unknown()) == 0 {
		_, err := o.chosen()
		errs = append(errs, err)
	}
	for _, l := range o.Langs {
		if !langCode().MatchString(l) {
			errs = append(errs, fmt.Errorf("there is no language %q: want a code such as en, zh or pt-BR", l))
		}
	}
	for _, h := range o.Hosts {
		if h == "" || strings.ContainsAny(h, "/?# ") {
			errs = append(errs, fmt.Errorf("there is no host %q: want one as in a URL, such as example.org or example.org:8080", h))
		}
	}
	if o.Chunks < 0 {
		errs = append(errs, fmt.Errorf("chunks: want a number of words above 0, got %d", o.Chunks))
	}
	if o.Chunks > 0 && !o.Format.isTable() {
		errs = append(errs, fmt.Errorf("%s has no chunks: want jsonl, csv or parquet", o.Format))
	}
	if o.Relevance < 0 || o.Relevance > 1 {
		errs = append(errs, fmt.Errorf("relevance: want 0 to 1, got %g", o.Relevance))
	}
	if o.Format == WACZ && o.ShardBytes > 0 {
		errs = append(errs, errors.New("wacz is one file: leave the shard size out"))
	}
	if o.Format != WACZ && o.Title+o.Description != "" {
		errs = append(errs, fmt.Errorf("%s has no title and no description: want wacz", o.Format))
	}
	if o.MinWords < 0 {
		errs = append(errs, fmt.Errorf("min-words: want 0 or more, got %d", o.MinWords))
	}
	if o.ShardBytes < 0 {
		errs = append(errs, fmt.Errorf("shard size: want 1 byte or more, got %d", o.ShardBytes))
	}
	if o.ShardBytes > 0 && o.Path == "" {
		errs = append(errs, errors.New("shards are files of a folder: name it"))
	}
	return errors.Join(errs...)
}

package export

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify/structure"
)

// An Exporter writes rows. It is for one goroutine. Finish or Abort ends it.
type Exporter struct {
	o           Options
	fields      []field
	plainChunks bool
	needsLinks  bool
	needsSum    bool // the abstract
	reader      structure.Reader
	archive     *archive
	out         output
	tally       Tally
}

// A Tally counts what an export has written.
type Tally struct {
	Rows       int64 // pages, chunks, links or records
	Pages      int64 // pages that the rows belong to
	Requisites int64 // style sheets, pictures and other requisites of pages, in WARC and WACZ

	Files    int   // files with their final names; 0: a stream
	OffTopic int64 // kept pages left out since they are marked as off the topic
	Bare     int64 // pages left out of WARC, WACZ, WET, Markdown or Text, since no bytes or text of them are kept
}

// A sink writes rows in one format into one file or stream.
type sink interface {
	write(r *row) (rows int64, err error)
	close() error // ends the format; the file stays open
}

// New starts an export. No file gets its final name before Finish.
func New(o Options) (*Exporter, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	e := &Exporter{o: o, plainChunks: !slices.Contains(o.Fields, "markdown")}
	var err error
	if o.Format.isTable() {
		if e.fields, err = o.chosen(); err != nil {
			return nil, err
		}
	}
	e.needsLinks, e.needsSum = e.has("links"), e.has("abstract")
	e.archive = &archive{}
	if o.Format == WARC || o.Format == WACZ {
		if e.archive, err = openArchive(o.Archive); err != nil {
			return nil, fmt.Errorf("index of the job's archive: %w", err)
		}
	}
	if e.out, err = newOutput(e); err != nil {
		return nil, e.unwritten(err)
	}
	return e, nil
}

func (e *Exporter) has(names ...string) bool {
	return slices.ContainsFunc(e.fields, func(f field) bool { return slices.Contains(names, f.name) })
}

// Wanted returns the parts of rows that the export needs.
func (e *Exporter) Wanted() gatecrawl.Wanted {
	needsText := e.o.Format == Markdown || e.o.Format == Text || e.o.Format == WET || e.o.Format == WACZ || e.o.Chunks > 0 || e.has("text", "markdown")
	return gatecrawl.Wanted{
		Verdict: e.o.Verdict,
		Views:   needsText || e.o.MinWords > 0 || e.has("date", "author", "keywords", "words", "abstract", "category", "canonical", "links", "body_digest"),
		Bodies:  needsText || e.o.Format == WARC || e.has("html"),
		Records: e.o.Format == WARC || e.o.Format == WACZ,
		Inlinks: e.has("inlinks"),
		Places:  e.has("warc_file", "warc_offset"),
		Lent:    true,

		Requisites: e.o.Format == WARC || e.o.Format == WACZ,

		Links: e.o.Format == Edges,
	}
}

// Write writes a row. The error is about reading the row or writing.
func (e *Exporter) Write(from *gatecrawl.Row) error {
	if from.Requisite {
		return e.writeRequisite(from)
	}
	if !e.wants(&from.Page) {
		return nil
	}
	if from.Page.OffTopic && !e.o.OffTopic {
		e.tally.OffTopic++
		return nil
	}
	r, err := e.rowOf(from)
	if err != nil {
		return err
	}
	if e.o.MinWords > 0 {
		n, err := r.words()
		if err != nil || n < e.o.MinWords {
			return err
		}
	}
	if e.o.Chunks == 0 {
		return e.put(r)
	}
	doc, err := r.document()
	if err != nil {
		return err
	}
	chunks := doc.Chunks(e.o.Chunks, e.plainChunks)
	for i := range chunks {
		r.chunk, r.chunkNumber = &chunks[i], i+1
		if err := e.put(r); err != nil {
			return err
		}
		e.tally.Pages--
	}
	if len(chunks) > 0 {
		e.tally.Pages++
	}
	return nil
}

// writeRequisite writes the record of a requisite of pages, such as a style sheet.
func (e *Exporter) writeRequisite(from *gatecrawl.Row) error {
	r, err := e.rowOf(from)
	if err != nil {
		return err
	}
	n, err := e.out.write(r)
	e.tally.Requisites += n
	return err
}

func (e *Exporter) put(r *row) error {
	n, err := e.out.write(r)
	if err != nil {
		return err
	}
	e.tally.Rows += n
	if n > 0 {
		e.tally.Pages++
	}
	return nil
}

// wants reports, by the record alone, whether a row is exported.
func (e *Exporter) wants(p *page.Record) bool {
	o := &e.o
	switch {
	case o.Verdict != "" && p.Verdict != o.Verdict,
		!o.Since.IsZero() && p.Fetched.Before(o.Since),
		o.Relevance > 0 && shortest(p.Relevance) < o.Relevance:
		return false
	}
	if len(o.Langs) > 0 && !slices.ContainsFunc(o.Langs, func(l string) bool { return speaks(p.Lang, l) }) {
		return false
	}
	return len(o.Hosts) == 0 || slices.ContainsFunc(o.Hosts, func(h string) bool { return isOf(p.URL, h) })
}

// speaks reports whether a language matches: "en" matches "en-US" too.
func speaks(lang, want string) bool {
	lang, want = strings.ToLower(lang), strings.ToLower(want)
	return lang == want || strings.HasPrefix(lang, want+"-")
}

// isOf reports whether a URL belongs to a host or a subdomain of it. A host without a port matches
// any port.
func isOf(url, want string) bool {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	want = weburl.CanonicalHost(want)
	if !strings.Contains(want, ":") {
		host, _, _ = strings.Cut(host, ":")
	}
	return host == want || strings.HasSuffix(host, "."+want)
}

// Finish ends the export: all files are durable and have their final names.
func (e *Exporter) Finish() (Tally, error) {
	e.archive.close()
	files, err := e.out.finish()
	e.tally.Files = files
	return e.tally, e.unwritten(err)
}

// Abort ends the export and removes its files. It returns cause, joined with any error of its own.
func (e *Exporter) Abort(cause error) error {
	e.archive.close()
	return errors.Join(e.unwritten(cause), e.out.abort())
}

// unwritten replaces an error of the system about a temporary file, whose name means nothing to the
// user and which is removed, by one about the file or folder that was to be written.
func (e *Exporter) unwritten(err error) error {
	fault, ok := errors.AsType[*fs.PathError](err)
	if !ok || e.o.Path == "" || !slices.ContainsFunc(strings.Split(filepath.ToSlash(fault.Path), "/"), func(name string) bool {
		return strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".part")
	}) {
		return err
	}
	return fmt.Errorf("%s is not written: %w", e.o.Path, fault.Err)
}

// newSink returns the writer of an export's format to w.
func (e *Exporter) newSink(w *counter) (sink, error) {
	switch e.o.Format {
	case JSONL:
		return &jsonLines{w: w, fields: e.fields}, nil
	case CSV:
		return newTable(w, e.fields)
	case Parquet:
		return newParquet(w, e.fields, e.o.Software), nil
	case Markdown, Text:
		return &pages{w: w, e: e}, nil
	case WET, WARC:
		return newRecords(w, e)
	case WACZ:
		return newArchive(w, e)
	}
	return newEdges(w)
}

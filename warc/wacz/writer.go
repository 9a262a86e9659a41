package wacz

import (
	"archive/zip"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"

	"gatecrawl.example/gatecrawl/scratch"
	"gatecrawl.example/gatecrawl/warc"
)

// Version is the version of the format.
const Version = "1.1.1"

// Options describe an archive. The zero Options are valid.
type Options struct {
	Title       string // default: the URL of the first page
	Description string
	Software    string // the program that writes the archive

	// About has the fields of the first record of each WARC file.
	About warc.Fields

	// Created is when the archive was made. Default: now.
	Created time.Time

	// MaxBytes is how large a WARC file may grow before the next one is started. Default
	// 1 GB.
	MaxBytes int64

	// Dir is where the temporary files are. Default: the system's folder for such.
	Dir string
}

// A Page is a page to show to a reader.
type Page struct {
	URL   string
	Time  time.Time // when it was fetched
	Title string
	Text  string
	Size  int64 // of its bytes
}

// A Writer writes an archive. It must not be used by several goroutines at once. Close or
// Abort ends it.
type Writer struct {
	o    Options
	zip  *zip.Writer
	all  []resource
	part *part // the entry that is being written; nil: there is none
	w    *warc.Writer
	size int64 // of the WARC file that is being written

	pages *os.File
	lines int // of pages
	index sorter
	known map[string]first // by digest: records with payloads that later records may have too
	main  Page
}

// A first is the first record with a payload.
type first struct {
	url string
	at  time.Time
}

// mostKnown bounds the entries of Writer.known, some 200 bytes each.
const mostKnown = 1 << 16

// A resource describes a file in datapackage.json.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// NewWriter returns a writer of an archive to w.
func NewWriter(w io.Writer, o Options) (*Writer, error) {
	o.MaxBytes = cmp.Or(o.MaxBytes, 1e9)
	if o.Created.IsZero() {
		o.Created = time.Now()
	}
	z := &Writer{o: o, zip: newZip(w), index: sorter{dir: o.Dir, most: sortAtOnce}, known: make(map[string]first)}
	var err error
	if z.pages, err = scratch.Create(o.Dir, ".wacz-*.part"); err != nil {
		return nil, err
	}
	_, err = io.WriteString(z.pages, `{"format":"json-pages-1.0","id":"pages","title":"All Pages","hasText":true}`+"\n")
	if err != nil {
		return nil, z.Abort(err)
	}
	return z, nil
}

// flateLevel is the level at which the texts of pages are compressed.
const flateLevel = 3

// newZip returns a writer of a ZIP file that compresses in less time than compress/flate.
func newZip(w io.Writer) *zip.Writer {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flateLevel) })
	return z
}

// AddRecord writes a record. If an earlier record has the same payload it is written as a revisit.
// Responses and resources get a line in the index.
func (z *Writer) AddRecord(d warc.Draft) error {
	if z.part == nil {
		if err := z.startRecords(); err != nil {
			return err
		}
	}
	c := warc.CaptureOf(d)
	if d.Type == warc.Response && c.Digest != "" {
		d = z.asRevisit(d, c.Digest)
		c = warc.CaptureOf(d)
	}
	var err error
	if c.Offset, c.Length, err = z.w.Write(d); err != nil {
		return err
	}
	z.size = c.Offset + c.Length
	if d.Type == warc.Response || d.Type == warc.Revisit || d.Type == warc.Resource {
		if d.Type == warc.Resource {
			c.Status = 200 // a resource has no status
			c.Digest = warc.DigestOf(d.Content)
		}
		c.File = strings.TrimPrefix(z.part.path, "archive/")
		if err := z.index.add(string(warc.AppendCDXJ(nil, c))); err != nil {
			return err
		}
	}
	if z.size >= z.o.MaxBytes {
		z.end()
	}
	return nil
}

// asRevisit returns a response as a revisit if an earlier record has its payload.
func (z *Writer) asRevisit(d warc.Draft, digest string) warc.Draft {
	was, ok := z.known[digest]
	if ok && was.url != d.URL {
		d.Fields = without(d.Fields, "WARC-Payload-Digest")
		return warc.RevisitDraft(d, digest, was.url, was.at)
	}
	for other := range z.known {
		if len(z.known) < mostKnown {
			break
		}
		delete(z.known, other)
	}
	z.known[digest] = first{d.URL, d.Date}
	return d
}

func without(fs warc.Fields, name string) (left warc.Fields) {
	for _, f := range fs {
		if !strings.EqualFold(f.Name, name) {
			left = append(left, f)
		}
	}
	return left
}

// AddPage adds a page whose record was added before.
func (z *Writer) AddPage(p Page) error {
	if z.lines++; z.lines == 1 {
		z.main = p
	}
	b, err := json.Marshal(struct {
		ID    string `json:"id"`
		URL   string `json:"url"`
		Time  string `json:"ts"`
		Title string `json:"title"`
		Text  string `json:"text,omitempty"`
		Size  int64  `json:"size,omitempty"`
	}{fmt.Sprintf("page-%d", z.lines), p.URL, p.Time.UTC().Format(time.RFC3339), cmp.Or(p.Title, p.URL), p.Text, p.Size})
	if err != nil {
		return err
	}
	_, err = z.pages.Write(append(b, '\n'))
	return err
}

// startRecords starts a WARC file.
func (z *Writer) startRecords() error {
	n := 1
	for _, r := range z.all {
		if strings.HasPrefix(r.Path, "archive/") {
			n++
		}
	}
	name := fmt.Sprintf("data-%05d.warc.gz", n)
	if err := z.start("archive/"+name, zip.Store); err != nil {
		return err
	}
	z.w, z.size = warc.NewWriter(z.part, warc.Gzip, 0), 0
	info := warc.InfoDraft(z.o.Created, z.o.About)
	info.Fields = warc.Fields{{Name: "WARC-Filename", Value: name}}
	_, _, err := z.w.Write(info)
	return err
}

// A part is an entry of the ZIP file.
type part struct {
	path string
	w    io.Writer
	sum  hash.Hash
	n    int64
}

func (p *part) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.sum.Write(b[:n])
	p.n += int64(n)
	return n, err
}

// start starts an entry. The one before must have been ended.
func (z *Writer) start(path string, method uint16) error {
	w, err := z.zip.CreateHeader(&zip.FileHeader{Name: path, Method: method, Modified: z.o.Created})
	if err != nil {
		return err
	}
	z.part = &part{path: path, w: w, sum: sha256.New()}
	return nil
}

// end ends the entry under way, and notes its digest.
func (z *Writer) end() {
	p := z.part
	z.part = nil
	z.all = append(z.all, resource{p.path[strings.LastIndexByte(p.path, '/')+1:], p.path, p.digest(), p.n})
}

func (p *part) digest() string { return "sha256:" + hex.EncodeToString(p.sum.Sum(nil)) }

// Close writes the rest, and ends the archive. The underlying writer stays open.
func (z *Writer) Close() error {
	if err := z.close(); err != nil {
		return z.Abort(err)
	}
	return z.Abort(nil)
}

func (z *Writer) close() error {
	if z.part == nil && len(z.all) == 0 {
		if err := z.startRecords(); err != nil { // an archive must have records
			return err
		}
	}
	if z.part != nil {
		z.end()
	}
	if err := z.entry("indexes/index.cdxj", zip.Store, z.index.writeTo); err != nil {
		return err
	}
	err := z.entry("pages/pages.jsonl", zip.Deflate, func(w io.Writer) error {
		if _, err := z.pages.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err := io.Copy(w, z.pages)
		return err
	})
	if err != nil {
		return err
	}
	about, err := z.description()
	if err != nil {
		return err
	}
	write := func(path string, v []byte) error {
		return z.entry(path, zip.Deflate, func(w io.Writer) error { _, err := w.Write(v); return err })
	}
	if err := write("datapackage.json", about); err != nil {
		return err
	}
	sum := z.all[len(z.all)-1].Hash
	if err := write("datapackage-digest.json", fmt.Appendf(nil, "{\n  \"path\": \"datapackage.json\",\n  \"hash\": %q\n}\n", sum)); err != nil {
		return err
	}
	return z.zip.Close()
}

// entry writes a complete entry.
func (z *Writer) entry(path string, method uint16, write func(io.Writer) error) error {
	if err := z.start(path, method); err != nil {
		return err
	}
	if err := write(z.part); err != nil {
		return err
	}
	z.end()
	return nil
}

// description returns the content of datapackage.json.
func (z *Writer) description() ([]byte, error) {
	at := z.o.Created.UTC().Format(time.RFC3339)
	d := struct {
		Profile     string     `json:"profile"`
		Resources   []resource `json:"resources"`
		Version     string     `json:"wacz_version"`
		Title       string     `json:"title,omitempty"`
		Description string     `json:"description,omitempty"`
		Created     string     `json:"created"`
		Modified    string     `json:"modified"`
		Software    string     `json:"software,omitempty"`
		MainURL     string     `json:"mainPageUrl,omitempty"`
		MainDate    string     `json:"mainPageDate,omitempty"`
	}{
		Profile: "data-package", Resources: z.all, Version: Version, Title: cmp.Or(z.o.Title, z.main.URL),
		Description: z.o.Description, Created: at, Modified: at, Software: z.o.Software, MainURL: z.main.URL,
	}
	if !z.main.Time.IsZero() {
		d.MainDate = z.main.Time.UTC().Format(time.RFC3339)
	}
	b, err := json.MarshalIndent(d, "", "  ")
	return append(b, '\n'), err
}

// Abort removes the temporary files, and returns cause joined with any error of its own. What was
// written so far is not a valid archive.
func (z *Writer) Abort(cause error) error {
	errs := []error{cause, z.index.remove()}
	if z.pages != nil {
		errs = append(errs, scratch.Close(z.pages))
		z.pages = nil
	}
	return errors.Join(errs...)
}

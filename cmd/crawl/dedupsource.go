package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gatecrawl/warc"
)

// A batchPage is one page of a collection.
type batchPage struct {
	file      string // it is in
	line      int    // of file, where that has lines
	place     *warc.Place
	url       string
	fetched   time.Time // zero: not known
	status    int       // of the HTTP answer; 0: it has none
	location  string    // of a redirect
	kind      string    // Content-Type, with parameters
	body      []byte
	truncated bool
	fault     error // it could not be read; names the file
}

// A collection yields the pages of files and folders in order.
type collection struct {
	names   []string
	stdin   io.Reader
	maxBody int64 // bytes of a page that are read
	skipped int   // records that hold no page: revisits
}

// all yields every page. A file that cannot be read further is the last
// fault of that file, and the next is read.
func (c *collection) all(yield func(batchPage, error) bool) {
	for _, name := range c.names {
		if !c.from(name, func(d batchPage) bool { return yield(d, nil) }) {
			return
		}
	}
}

// from yields the pages of one argument, and reports whether more are wanted.
func (c *collection) from(name string, yield func(batchPage) bool) bool {
	if name == "-" {
		return c.read(c.stdin, "standard input", yield)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		more := true
		err := walkPages(name, func(page string) {
			more = more && c.page(filepath.Join(name, filepath.FromSlash(page)), yield)
		})
		if err != nil && more {
			return yield(batchPage{file: name, fault: err})
		}
		return more
	}
	f, err := os.Open(name)
	if err != nil {
		return yield(batchPage{file: name, fault: err})
	}
	defer f.Close()
	return c.read(f, name, yield)
}

// A form is what a file holds.
type form uint8

const (
	formLines form = iota // JSON, an object a line
	formWARC
	formPage
)

// How much of a file is looked at to know its form. A slow pipe is not waited for
// longer than it must; zstd has to be read by whole blocks.
const (
	sniffed     = 4 << 10
	sniffedZstd = 192 << 10
)

// headOf returns the begin of a file, and what reads it from there. An error
// comes again when more is read.
func headOf(r io.Reader) ([]byte, *bufio.Reader) {
	in := bufio.NewReaderSize(r, sniffedZstd)
	head, _ := in.Peek(sniffed)
	if bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		head, _ = in.Peek(sniffedZstd)
	}
	return head, in
}

// formOf knows a file by its first bytes, and by its name where they say
// nothing.
func formOf(head []byte, name string) form {
	text := bytes.TrimLeft(unpacked(head, 64), "\ufeff \t\r\n")
	base := strings.ToLower(path.Base(filepath.ToSlash(name)))
	switch {
	case bytes.HasPrefix(text, []byte("WARC/")):
		return formWARC
	case bytes.HasPrefix(text, []byte("{")):
		return formLines
	case strings.HasSuffix(base, ".warc"), strings.Contains(base, ".warc."):
		return formWARC
	case bytes.HasPrefix(text, []byte("<")):
		return formPage
	}
	switch path.Ext(base) {
	case ".html", ".htm", ".txt":
		return formPage
	}
	return formLines
}

// unpacked returns n bytes, or as many as there are, of what head is the begin
// of, compressed or not.
func unpacked(head []byte, n int) []byte {
	text := make([]byte, n)
	var r io.Reader = bytes.NewReader(head)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil
		}
		r = z
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil
		}
		defer z.Close()
		r = z
	}
	n, _ = io.ReadFull(r, text)
	return text[:n]
}

// read yields the pages of a file of any form.
func (c *collection) read(r io.Reader, name string, yield func(batchPage) bool) bool {
	head, in := headOf(r)
	switch formOf(head, name) {
	case formWARC:
		return c.archive(in, name, yield)
	case formPage:
		return yield(c.pageOf(in, name))
	}
	return c.lines(in, name, yield)
}

// page yields the page that a file is.
func (c *collection) page(name string, yield func(batchPage) bool) bool {
	f, err := os.Open(name)
	if err != nil {
		return yield(batchPage{file: name, fault: err})
	}
	defer f.Close()
	return yield(c.pageOf(f, name))
}

func (c *collection) pageOf(r io.Reader, name string) batchPage {
	d := batchPage{file: name, url: filepath.ToSlash(name), kind: "text/html"}
	if t, _, err := mime.ParseMediaType(mime.TypeByExtension(path.Ext(d.url))); err == nil && t == "text/plain" {
		d.kind = t
	}
	plain, err := decompressed(r)
	if err == nil {
		d.body, err = io.ReadAll(io.LimitReader(plain, c.maxBody+1))
	}
	if err != nil {
		d.fault = fmt.Errorf("%s: %w", name, err)
	}
	c.cut(&d)
	return d
}

// cut shortens a page to what is read of one.
func (c *collection) cut(d *batchPage) {
	if int64(len(d.body)) > c.maxBody {
		d.body, d.truncated = d.body[:c.maxBody], true
	}
}

// lines yields the objects of a file of JSON.
func (c *collection) lines(r io.Reader, name string, yield func(batchPage) bool) bool {
	plain, err := decompressed(r)
	if err != nil {
		return yield(batchPage{file: name, fault: fmt.Errorf("%s: %w", name, err)})
	}
	for l, err := range numbered(plain) {
		if err == nil && l.n == 1 {
			err = otherJSON(l.text)
		}
		if err != nil {
			return yield(batchPage{file: name, line: l.n, fault: fmt.Errorf("%s: %w", name, err)})
		}
		d, err := c.object(l.text)
		if err != nil {
			err = fmt.Errorf("%s:%d: %w", name, l.n, err)
		}
		d.file, d.line, d.fault = name, l.n, err
		if d.url == "" {
			d.url = fmt.Sprintf("%s:%d", name, l.n)
		}
		if !yield(d) {
			return false
		}
	}
	return true
}

// object reads a line of JSON. Of a page that comes with its text the HTML
// counts: it has the layout.
func (c *collection) object(text []byte) (batchPage, error) {
	var in struct {
		URL  string  `json:"url"`
		HTML *string `json:"html"`
		Text *string `json:"text"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return batchPage{}, fmt.Errorf("not an object with url and html or text: %w", inWords(err))
	}
	d := batchPage{url: in.URL, kind: "text/html; charset=utf-8"}
	switch {
	case in.HTML != nil:
		d.body = []byte(*in.HTML)
	case in.Text != nil:
		d.body, d.kind = []byte(*in.Text), "text/plain; charset=utf-8"
	default:
		return d, errors.New(`neither "html" nor "text" in the object`)
	}
	c.cut(&d)
	return d, nil
}

// otherJSON says by its first line what is wrong with a file of JSON that has not
// an object a line; nil for others.
func otherJSON(first []byte) error {
	switch {
	case first[0] == '[':
		return errors.New("a list of JSON: want an object a line, which jq -c '.[]' makes of it")
	case string(first) == "{":
		return errors.New("an object of JSON over several lines: want one a line, which jq -c . makes of it")
	}
	return nil
}

// inWords says of a value of JSON that is of another kind what a user can do with.
func inWords(err error) error {
	var other *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &other):
		return err
	case other.Field != "":
		return fmt.Errorf("%q is %s, and no string", other.Field, other.Value)
	}
	return fmt.Errorf("it is %s", other.Value)
}

// archive yields the pages of a WARC file.
func (c *collection) archive(r io.Reader, name string, yield func(batchPage) bool) bool {
	in, err := warc.NewReader(r, name, warc.DefaultOptions())
	if err != nil {
		return yield(batchPage{file: name, fault: err})
	}
	defer in.Close()
	for {
		rec, err := in.Next()
		if err == io.EOF {
			return true
		}
		var damage *warc.RecordError
		if err != nil {
			if more := yield(batchPage{file: name, fault: err}); !more || !errors.As(err, &damage) {
				return more
			}
			continue
		}
		if !c.isPage(rec) {
			continue
		}
		if !yield(c.recorded(rec, name)) {
			return false
		}
	}
}

// isPage reports whether a record holds a page: an answer from the web, a page
// kept without one, or the text of a page.
func (c *collection) isPage(rec *warc.Record) bool {
	switch rec.Type {
	case warc.Response, warc.Resource, warc.Conversion:
	case warc.Revisit:
		c.skipped++
		return false
	default:
		return false
	}
	u, err := url.Parse(rec.URL())
	if err != nil {
		return true // whatever it is, it was fetched
	}
	switch u.Scheme {
	case "dns", "whois", "urn", "metadata", "screenshot":
		return false // what crawlers keep beside pages
	}
	return true
}

// recorded is the page that a record holds.
func (c *collection) recorded(rec *warc.Record, name string) batchPage {
	place := rec.Place
	d := batchPage{file: name, place: &place, url: rec.URL(), fetched: rec.Date()}
	p, err := rec.Payload(c.maxBody)
	d.fault = err
	d.status, d.kind, d.body, d.truncated = p.Status, p.ContentType, p.Body, p.Truncated
	if d.redirect() {
		d.location = p.Header.Get("Location")
	}
	return d
}

func (d *batchPage) redirect() bool {
	switch d.status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// readable reports whether a body is made of characters, and returns the type
// by which it is decoded. Where the answer names none, the body shows it.
func (d *batchPage) readable() (kind string, ok bool) {
	t, _, _ := strings.Cut(d.kind, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	kind = d.kind
	if !strings.Contains(t, "/") || strings.HasPrefix(t, "application/http") || t == "unknown/unknown" || t == "application/unknown" {
		kind = http.DetectContentType(bytes.TrimPrefix(d.body, []byte("\ufeff")))
		t, _, _ = strings.Cut(kind, ";")
		kind = t // the charset there is a guess
	}
	switch t {
	case "application/xhtml+xml", "application/xml", "application/json", "application/javascript", "application/x-javascript":
		return kind, true
	}
	return kind, strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+xml") || strings.HasSuffix(t, "+json")
}

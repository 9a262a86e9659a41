package corpus

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/document"
	"gatecrawl.example/gatecrawl/warc"
)

// A Page is one page of a collection.
type Page struct {
	Argument  string // the name among Source.Names that led to it
	File      string // it is in
	Line      int    // of File, where that has lines; 1 is the first
	Place     *warc.Place
	URL       string
	Fetched   time.Time // zero: not known
	Status    int       // of the HTTP answer; 0: it has none
	Location  string    // of a redirect
	Type      string    // Content-Type, with parameters
	Body      []byte
	Truncated bool
	View      *purify.DocView // in place of Body where a job has read it; nil: none has
	Digest    dedup.Digest    // of the bytes that View was read from
	Size      int64           // of these
	Payload   string          // digest of the body as its WARC record names it, with Source.Revisited; "": none
	Revisit   bool            // the record has no body, since another one has the same
	Fault     error           // it could not be read; names the file
}

// A Source yields the pages of files and folders in order. It is used once.
type Source struct {
	Names   []string  // of WARC, ARC and WACZ files, files of JSON lines, pages and folders of these but lines; - is Stdin
	Stdin   io.Reader //
	MaxBody int64     // bytes of a page that are read; what is behind them is cut off. 0: 10 MiB

	// Jobs returns the pages of a job folder, nil for a folder that is not a job. The folder of
	// a job is else one of pages.
	Jobs func(dir string) iter.Seq2[Page, error]

	// Ended is asked before each page; its error ends the reading. Nil: nothing does.
	Ended func() error

	// Refers is called with the URL, the time and the payload digest of each WARC record that
	// names a page elsewhere; nil: such records are counted alone.
	Refers func(url string, at time.Time, digest string) error

	// Revisited yields WARC records that name a page elsewhere, too.
	Revisited bool

	Revisits int // WARC records that name a page elsewhere, and have none
	Robots   int // WARC records of a robots.txt, which is not a page
	Bare     int // lines of JSON with "text": null, as crawl export writes them of pictures and the like
}

// Pages yields every page; its errors are nil but for that of Ended. A file that cannot be read further ends in
// a page with a Fault, and the next file is read.
func (s *Source) Pages(yield func(Page, error) bool) {
	if s.MaxBody == 0 {
		s.MaxBody = 10 << 20
	}
	for _, name := range s.Names {
		if !s.argument(name, func(p Page) bool {
			if s.Ended != nil {
				if err := s.Ended(); err != nil {
					yield(Page{}, err)
					return false
				}
			}
			p.Argument = name
			return yield(p, nil)
		}) {
			return
		}
	}
}

// argument yields the pages of one argument, and reports whether more are wanted.
func (s *Source) argument(name string, yield func(Page) bool) bool {
	if name == "-" {
		return s.read(s.Stdin, "standard input", yield)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		if s.Jobs != nil {
			if pages := s.Jobs(name); pages != nil {
				return fromJob(pages, name, yield)
			}
		}
		more := true
		wanted := func(file string) bool { return isArchive(file) || endsIn(file, pages) || endsIn(file, documents) }
		err := walk(name, wanted, func(file string) {
			full := filepath.Join(name, filepath.FromSlash(file))
			if isArchive(file) {
				more = more && s.open(full, yield)
			} else {
				more = more && s.page(full, yield)
			}
		})
		if err != nil && more {
			return yield(Page{File: name, Fault: err})
		}
		return more
	}
	return s.open(name, yield)
}

// open yields the pages of a file of any form.
func (s *Source) open(name string, yield func(Page) bool) bool {
	f, err := os.Open(name)
	if err != nil {
		return yield(Page{File: name, Fault: err})
	}
	defer f.Close()
	return s.read(f, name, yield)
}

// fromJob yields the pages of a job. An error ends them with a Fault.
func fromJob(pages iter.Seq2[Page, error], name string, yield func(Page) bool) bool {
	for p, err := range pages {
		if p.File = name; err != nil {
			p.Fault = fmt.Errorf("%s: %w", name, err)
		}
		if !yield(p) {
			return false
		}
	}
	return true
}

// Walk calls visit with the path of each .html, .htm and .txt file in dir and the folders
// within it, by name. Links to files are not followed; dir itself may be one.
func Walk(dir string, visit func(name string)) error {
	return walk(dir, func(name string) bool { return endsIn(name, pages) }, visit)
}

// What the names of pages and of other documents end in.
var (
	pages     = []string{".html", ".htm", ".txt"}
	documents = []string{".pdf", ".ps", ".docx", ".doc", ".rtf", ".odt", ".epub"}
)

// isArchive reports whether a file of a folder is one of many pages.
func isArchive(name string) bool {
	return warc.IsArchiveName(name) || strings.EqualFold(path.Ext(name), ".wacz")
}

func endsIn(name string, endings []string) bool {
	return slices.Contains(endings, strings.ToLower(path.Ext(name)))
}

// walk calls visit with the path of each wanted file.
func walk(dir string, wanted func(name string) bool, visit func(name string)) error {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		if wanted(d.Name()) && d.Type().IsRegular() {
			visit(filepath.ToSlash(name))
		}
		return nil
	})
}

// A form is what a file has.
type form uint8

const (
	formLines form = iota // JSON, an object a line
	formWARC              // or ARC
	formWACZ              // a ZIP archive of WARC files
	formPage
)

// How much of a file is read to know its form. A slow pipe is not waited for longer than
// it must; zstd has to be read by whole blocks.
const (
	headBytes     = 4 << 10
	headBytesZstd = 192 << 10
)

// Head returns the start of a file, and what reads it from there. An error comes again
// when more is read.
func Head(r io.Reader) ([]byte, *bufio.Reader) {
	in := bufio.NewReaderSize(r, headBytesZstd)
	head, _ := in.Peek(headBytes)
	if isZstd(head) {
		head, _ = in.Peek(headBytesZstd)
	}
	return head, in
}

// Unpack returns the first n bytes, or as many as there are, of what head is the start of,
// compressed by gzip or zstd or not.
func Unpack(head []byte, n int) []byte {
	text := make([]byte, n)
	var r io.Reader = bytes.NewReader(head)
	switch {
	case isGzip(head):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil
		}
		r = z
	case isZstd(head):
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil
		}
		defer z.Close()
		r = z
	}
	n, _ = io.ReadFull(r, text)
	return text[:n]
}

// formOf knows a file by its first bytes, and by its name where they say nothing.
func formOf(head []byte, name string) form {
	text := bytes.TrimLeft(Unpack(head, 64), "\ufeff \t\r\n")
	base := strings.ToLower(path.Base(filepath.ToSlash(name)))
	switch {
	case warc.IsArchive(text):
		return formWARC
	case bytes.HasPrefix(text, []byte("PK\x03\x04")) && strings.HasSuffix(base, ".wacz"):
		return formWACZ
	case bytes.HasPrefix(text, []byte("{")):
		return formLines
	case strings.HasSuffix(base, ".warc"), strings.Contains(base, ".warc."):
		return formWARC
	case bytes.HasPrefix(text, []byte("<")):
		return formPage
	}
	switch path.Ext(base) {
	case ".html", ".htm", ".txt", ".pdf", ".ps", ".docx", ".doc", ".rtf", ".odt", ".epub":
		return formPage
	}
	return formLines
}

// IsWARC reports whether a file is a WARC or ARC file, compressed or not, or a WACZ.
func IsWARC(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := Head(f)
	form := formOf(head, name)
	return form == formWARC || form == formWACZ
}

// HasPages reports whether a file that starts with head is a WARC file, a WACZ or has lines of
// pages, as Source reads them.
func HasPages(head []byte, name string) bool {
	switch formOf(head, name) {
	case formWARC, formWACZ:
		return true
	case formLines:
		line, _, _ := bytes.Cut(bytes.TrimLeft(Unpack(head, headBytes), "\ufeff \t\r\n"), []byte("\n"))
		return pageLine().Match(line)
	}
	return false
}

// pageLine is the start of an object that is a page, perhaps cut off: its first names are
// those of a page.
var pageLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\{\s*"(url"\s*:\s*"[^"]*"\s*,\s*"(html|text)|html|text)"\s*:`)
})

// read yields the pages of a file of any form.
func (s *Source) read(r io.Reader, name string, yield func(Page) bool) bool {
	head, in := Head(r)
	switch formOf(head, name) {
	case formWARC:
		return s.archive(in, name, yield)
	case formWACZ:
		return s.wacz(r, name, yield)
	case formPage:
		return yield(s.file(in, name))
	}
	if t := fetch.Sniff(Unpack(head, headBytes)); t != "" && !fetch.IsTextType(t) {
		return yield(Page{File: name, Fault: fmt.Errorf("%s is %s: want a WARC, ARC or WACZ file, lines of JSON or a folder of pages", name, fetch.DescribeType(t))})
	}
	return s.lines(in, name, yield)
}

// page yields the page that a file is.
func (s *Source) page(name string, yield func(Page) bool) bool {
	f, err := os.Open(name)
	if err != nil {
		return yield(Page{File: name, Fault: err})
	}
	defer f.Close()
	return yield(s.file(f, name))
}

func (s *Source) file(r io.Reader, name string) Page {
	p := Page{File: name, URL: filepath.ToSlash(name), Type: "text/html"}
	if t, _, err := mime.ParseMediaType(mime.TypeByExtension(path.Ext(p.URL))); err == nil && t == "text/plain" {
		p.Type = t
	}
	plain, err := Decompress(r)
	if err == nil {
		defer plain.Close()
		p.Body, err = io.ReadAll(io.LimitReader(plain, s.MaxBody+1))
	}
	if err != nil {
		p.Fault = fmt.Errorf("%s: %w", name, err)
	}
	if t := document.Sniff(p.Body); t != "" {
		p.Type = t
	} else if seen := fetch.Sniff(p.Body); seen != "" && !fetch.IsTextType(seen) {
		p.Type = cmp.Or(document.TypeOfName(name), p.Type) // it is broken, and has a name
	}
	s.truncate(&p)
	return p
}

// truncate cuts a page to what is read of one.
func (s *Source) truncate(p *Page) {
	if int64(len(p.Body)) > s.MaxBody {
		p.Body, p.Truncated = p.Body[:s.MaxBody], true
	}
}

// lines yields the objects of a file of JSON.
func (s *Source) lines(r io.Reader, name string, yield func(Page) bool) bool {
	plain, err := Decompress(r)
	if err != nil {
		return yield(Page{File: name, Fault: fmt.Errorf("%s: %w", name, err)})
	}
	defer plain.Close()
	for l, err := range Lines(plain) {
		if err == nil && l.N == 1 {
			err = cmp.Or(NotLines(l.Text), notPages(l.Text))
		}
		if err != nil {
			return yield(Page{File: name, Line: l.N, Fault: fmt.Errorf("%s: %w", name, err)})
		}
		p, err := s.object(l.Text)
		if errors.Is(err, errBare) {
			s.Bare++
			continue
		}
		if err != nil {
			err = fmt.Errorf("%s:%d: %w", name, l.N, err)
		}
		p.File, p.Line, p.Fault = name, l.N, err
		if p.URL == "" {
			p.URL = fmt.Sprintf("%s:%d", name, l.N)
		}
		if !yield(p) {
			return false
		}
	}
	return true
}

// notPages looks at the first line of a file that should have an object with a page a line, and says
// what is wrong if it is not an object: every other line would be as wrong.
func notPages(first []byte) error {
	switch {
	case len(first) == 0 || first[0] == '{':
		return nil
	case bytes.HasPrefix(first, []byte("CDX ")):
		return errors.New("an index of archives: name the WARC files that it is of")
	}
	return errors.New("not pages: want WARC or ARC files, JSON lines, pages (.html, .txt, .pdf and the like), or folders of pages")
}

// errBare says that a line is of a page without a text: nothing is wrong with it.
var errBare = errors.New(`"text" is null`)

// object reads a line of JSON. Where a page has HTML and text the HTML counts: it has the
// layout.
func (s *Source) object(text []byte) (Page, error) {
	var in struct {
		URL  string  `json:"url"`
		HTML *string `json:"html"`
		Text *string `json:"text"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return Page{}, fmt.Errorf("not an object with url and html or text: %w", ExplainJSON(err))
	}
	p := Page{URL: in.URL, Type: "text/html; charset=utf-8"}
	switch {
	case in.HTML != nil:
		p.Body = []byte(*in.HTML)
	case in.Text != nil:
		p.Body, p.Type = []byte(*in.Text), "text/plain; charset=utf-8"
	case isNull(text, "text"):
		return p, errBare
	default:
		return p, errors.New(`neither "html" nor "text" in the object; crawl export --format jsonl writes lines with text`)
	}
	s.truncate(&p)
	return p, nil
}

// isNull reports whether an object has a key whose value is null.
func isNull(object []byte, key string) bool {
	var values map[string]json.RawMessage
	err := json.Unmarshal(object, &values)
	return err == nil && string(values[key]) == "null"
}

// ExplainJSON says in a user's words that a line is not JSON, or that a value is of another kind.
func ExplainJSON(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		if strings.HasPrefix(syntax.Error(), "unexpected end") {
			return errors.New("it ends in the middle")
		}
		return fmt.Errorf("it is not JSON at character %d", syntax.Offset)
	}
	var other *json.UnmarshalTypeError
	if !errors.As(err, &other) {
		return err
	}
	is := "of the type " + other.Value
	if number, ok := strings.CutPrefix(other.Value, "number "); ok {
		is = number // which does not fit
	}
	if other.Field == "" {
		return errors.New("it is " + is)
	}
	return fmt.Errorf("%q is %s: want %s", other.Field, is, humanize.JSON(other.Type.Kind()))
}

// archive yields the pages of a WARC file.
func (s *Source) archive(r io.Reader, name string, yield func(Page) bool) bool {
	in, err := warc.NewReader(r, name, warc.DefaultOptions())
	if err != nil {
		return yield(Page{File: name, Fault: err})
	}
	defer in.Close()
	told := int64(-1) // the damaged record or member that was told of last
	for {
		rec, err := in.Next()
		if err == io.EOF {
			return true
		}
		var damage *warc.RecordError
		if errors.As(err, &damage) {
			if damage.Place.Offset == told {
				continue // a second error of it: its checksum, behind a header that cannot be read
			}
			told = damage.Place.Offset
		}
		if err != nil {
			if more := yield(Page{File: name, Fault: damaged(err)}); !more || !errors.As(err, &damage) {
				return more
			}
			continue
		}
		if rec.Type == warc.Revisit && s.Refers != nil {
			if err := s.Refers(rec.URL(), rec.Date(), rec.Fields.Get("WARC-Payload-Digest")); err != nil {
				return yield(Page{File: name, Fault: err})
			}
		}
		if s.isPage(rec) && !yield(s.record(rec, name)) {
			return false
		}
	}
}

// damaged says what an error of an archive means to its owner.
func damaged(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the file is cut short there; all before is read", err)
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("%w: the compressed data are damaged there; the record is left out", err)
	}
	return err
}

// isPage reports whether a record has a page: an answer from the web, a page kept without
// one, or the text of a page.
func (s *Source) isPage(rec *warc.Record) bool {
	switch rec.Type {
	case warc.Response, warc.Resource, warc.Conversion:
	case warc.Revisit:
		if !s.Revisited {
			s.Revisits++
			return false
		}
	default:
		return false
	}
	if warc.IsRobots(rec.URL()) {
		s.Robots++
		return false
	}
	u, err := url.Parse(rec.URL())
	if err != nil {
		return true // whatever it is, it was fetched
	}
	switch u.Scheme {
	case "dns", "whois", "urn", "metadata", "screenshot", "about", "blob", "data", "chrome", "chrome-extension":
		return false // what crawlers keep besides pages
	}
	return true
}

// record is the page that a record has.
func (s *Source) record(rec *warc.Record, name string) Page {
	place := rec.Place
	p := Page{File: name, Place: &place, URL: rec.URL(), Fetched: rec.Date()}
	if s.Revisited {
		p.Payload = rec.Fields.Get("WARC-Payload-Digest")
	}
	payload, err := rec.Payload(s.MaxBody)
	if rec.Type == warc.Revisit {
		if p.Status = payload.Status; p.Status < 400 { // a page that was not found has been a page nowhere
			p.Revisit = true
		}
		return p
	}
	p.Fault = damaged(err)
	p.Status, p.Type, p.Body, p.Truncated = payload.Status, payload.ContentType, payload.Body, payload.Truncated
	if p.redirect() {
		p.Location = payload.Header.Get("Location")
	}
	return p
}

func (p *Page) redirect() bool {
	switch p.Status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// notDocument says why an answer is not a document; "" for one that is.
func (p *Page) notDocument() string {
	switch {
	case p.redirect():
		return "redirects to " + p.Location
	case p.Status != 0 && (p.Status < 200 || p.Status > 299):
		return strings.TrimSpace(fmt.Sprintf("http %d %s", p.Status, strings.ToLower(http.StatusText(p.Status))))
	}
	return ""
}

// Document returns the media type of a page, and whether it is a document of text: an error
// and a redirect are none.
func (p *Page) Document() (kind string, text bool) {
	kind, text = p.mediaType()
	return kind, text && p.notDocument() == ""
}

// mediaType returns the type by which a body is decoded, and whether it is text. Where the
// answer names no type, or a wrong one, the body shows it.
func (p *Page) mediaType() (kind string, text bool) {
	sent := p.Type
	if strings.HasPrefix(strings.ToLower(sent), "application/http") {
		sent = "" // that is the record's type
	}
	t := fetch.MediaType(sent, p.Body)
	if says, _, _ := strings.Cut(sent, ";"); strings.EqualFold(strings.TrimSpace(says), t) {
		return sent, fetch.IsTextType(t)
	}
	return t, fetch.IsTextType(t)
}

// site names the site of a page: its host, or, where it has no URL, the argument that led
// to it.
func (p *Page) site() string { return cmp.Or(hostOf(p.URL), p.Argument) }

// hostOf returns the host of a URL, "" for a file.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

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
	Argument   string // the name among Source.Names that led to it
	File       string // the file that has it
	Line       int    // its line in File, from 1, if that has lines
	Place      *warc.Place
	URL        string
	Fetched    time.Time // zero: unknown
	Status     int       // of the HTTP answer; 0: there is none
	Location   string    // of a redirect
	Type       string    // Content-Type, with parameters
	Title      string    // that a line of JSON gives to its text; "": none
	Body       []byte
	Truncated  bool
	View       *purify.DocView // in place of Body, if a job has made it; nil: not made
	Digest     dedup.Digest    // of the bytes that View was read from, or the text, as a line of an export says; zero: not known
	Size       int64           // number of these bytes
	BodyDigest dedup.Digest    // DigestOfWords of the body that the text was made of, as a line of an export says; zero: not known
	Payload    string          // digest of the body as its WARC record names it, with Source.Revisited; "": none
	Marked     bool            // the job that has it marked it as a copy, and kept it
	Revisit    bool            // the record has no body, since another record has the same one
	Fault      error           // why it could not be read; names the file
}

// TextLine reports whether the page is a text that a line of JSON gives: the layout of the page that had it is not known.
func (p *Page) TextLine() bool { return p.Line > 0 && strings.HasPrefix(p.Type, "text/plain") }

// A Source yields the pages of files and folders in order. It is used once.
type Source struct {
	Names   []string  // WARC, ARC and WACZ files, files of JSON lines, pages, and folders of all these except files of lines; - is Stdin
	Stdin   io.Reader //
	MaxBody int64     // how many bytes of a page are read; the rest is cut off. 0: 10 MiB

	// Jobs returns the pages of a job folder; nil for any other folder. If Jobs is nil, the folder
	// of a job is read as a folder of pages.
	Jobs func(dir string) iter.Seq2[Page, error]

	// Ended is called before each page. If it returns an error, reading ends. Nil: nothing ends it.
	Ended func() error

	// Refers is called with the URL, the time and the payload digest of each revisit record whose
	// payload is in another file. Nil: such records are only counted.
	Refers func(url string, at time.Time, digest string) error

	// Textless is called with the URL of each line of JSON whose text is null and the digest of the page's bytes that the line
	// has: crawl export writes copies so. Nil: such lines are only counted.
	Textless func(url string, digest dedup.Digest) error

	// Revisited makes Pages yield such revisit records too.
	Revisited bool

	Revisits int // revisit records, whose payload is in another record
	Robots   int // WARC records of a robots.txt, which is not a page
	Bare     int // lines of JSON with "text": null, as crawl export writes them for pictures and other files without text

	Strange     int    // files of folders that have pages, but not the name of a file that is read in a folder
	FirstOfThem string // one of these
}

// Pages yields every page. Its only error is that of Ended. If the rest of a file cannot be read,
// Pages yields a page with a Fault and goes on with the next file.
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

// argument yields the pages of one of Names, and reports whether more are wanted.
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
		all := func(string) bool { return true }
		visit := func(file string) {
			full := filepath.Join(name, filepath.FromSlash(file))
			switch {
			case !more:
			case isArchive(file):
				more = s.open(full, yield)
			case endsIn(file, pages), endsIn(file, documents):
				more = s.page(full, yield)
			case looksLikePages(full):
				if s.Strange++; s.Strange == 1 {
					s.FirstOfThem = full
				}
			}
		}
		walk(name, all, visit, func(err error) { more = more && yield(Page{File: name, Fault: err}) })
		return more
	}
	return s.open(name, yield)
}

// looksLikePages reports whether a file starts like one that Source reads, whatever its name. A
// drawing may start like a page.
func looksLikePages(name string) bool {
	if endsIn(name, []string{".svg", ".xml"}) {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := Head(f)
	return HasPages(head, name) || fetch.Sniff(Unpack(head, headBytes)) == "text/html"
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

// Walk calls visit with the path of each .html, .htm and .txt file in dir and its subfolders,
// sorted by name. It does not follow links within dir, but dir itself may be one. It calls fault
// with the error of each folder that cannot be read, and goes on with the next one.
func Walk(dir string, visit func(name string), fault func(error)) {
	walk(dir, func(name string) bool { return endsIn(name, pages) }, visit, fault)
}

// The extensions of pages and of other documents.
var (
	pages     = []string{".html", ".htm", ".txt"}
	documents = []string{".pdf", ".ps", ".docx", ".doc", ".rtf", ".odt", ".epub"}
)

// isArchive reports whether a file in a folder has many pages.
func isArchive(name string) bool {
	return warc.IsArchiveName(name) || strings.EqualFold(path.Ext(name), ".wacz")
}

func endsIn(name string, endings []string) bool {
	return slices.Contains(endings, strings.ToLower(path.Ext(name)))
}

// walk is Walk for the files that are wanted.
func walk(dir string, wanted func(name string) bool, visit func(name string), fault func(error)) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		fault(err)
		return
	}
	filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error { // its error is that of this function, nil
		name := ""
		if err == nil {
			name, err = filepath.Rel(dir, file)
		}
		switch {
		case err != nil:
			fault(err)
		case wanted(d.Name()) && d.Type().IsRegular():
			visit(filepath.ToSlash(name))
		}
		return nil
	})
}

// A form is the format of a file.
type form uint8

const (
	formLines form = iota // JSON, an object a line
	formWARC              // or ARC
	formWACZ              // a ZIP archive of WARC files
	formPage
)

// How much of a file is read to recognize its format. Of a slow pipe no more is read than
// necessary; zstd can only be read by whole blocks.
const (
	headBytes     = 4 << 10
	headBytesZstd = 192 << 10
)

// Head returns the start of a file, and a reader of the whole file. If there is an error it occurs
// again when the reader comes to it.
func Head(r io.Reader) ([]byte, *bufio.Reader) {
	in := bufio.NewReaderSize(r, headBytesZstd)
	head, _ := in.Peek(headBytes)
	if isZstd(head) {
		head, _ = in.Peek(headBytesZstd)
	}
	return head, in
}

// Unpack returns the first n bytes, or fewer if there are fewer, of the file that starts with head,
// decompressed if it is gzip or zstd.
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

// formOf recognizes the format of a file by its first bytes, or by its name if they do not tell.
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

// IsWARC reports whether a file is a WARC or ARC file, compressed or not, or a WACZ. It is false for a
// pipe, whose start could not be read again.
func IsWARC(name string) bool {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := Head(f)
	form := formOf(head, name)
	return form == formWARC || form == formWACZ
}

// HasPages reports whether Source reads many pages from a file that starts with head: a WARC file,
// a WACZ, or pages one a line.
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

// pageLine matches the start of an object that is a page: its first names are those of a page. The
// object may be cut off.
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
	return s.lines(in, name, isUTF16(Unpack(head, 2)), yield)
}

// page yields the single page of a file.
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
		p.Type = cmp.Or(document.TypeOfName(name), p.Type) // the page is broken, but its file name tells the type
	}
	s.truncate(&p)
	return p
}

// truncate cuts a page to the part that is read.
func (s *Source) truncate(p *Page) {
	if int64(len(p.Body)) > s.MaxBody {
		p.Body, p.Truncated = p.Body[:s.MaxBody], true
	}
}

// lines yields the objects of a file of JSON; wide says that it is in UTF-16.
func (s *Source) lines(r io.Reader, name string, wide bool, yield func(Page) bool) bool {
	plain, err := Decompress(r)
	if err != nil {
		return yield(Page{File: name, Fault: fmt.Errorf("%s: %w", name, err)})
	}
	defer plain.Close()
	text := io.Reader(plain)
	if wide {
		text = inUTF8(text)
	}
	for l, err := range Lines(text) {
		if err == nil && l.N == 1 {
			err = cmp.Or(NotLines(l.Text), notPages(l.Text))
		}
		if err != nil {
			more := yield(Page{File: name, Line: l.N, Fault: fmt.Errorf("%s: %w", name, err)})
			if more && errors.Is(err, ErrLongLine) {
				continue
			}
			return more
		}
		p, err := s.object(l.Text)
		if errors.Is(err, errBare) {
			s.Bare++
			if s.Textless == nil || p.Digest.IsZero() {
				continue
			}
			if err := s.Textless(p.URL, p.Digest); err != nil {
				return yield(Page{File: name, Line: l.N, Fault: err})
			}
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

// notPages returns an error if the first line of a file that should have a page a line is not an
// object: then all lines would be wrong.
func notPages(first []byte) error {
	switch {
	case len(first) == 0 || first[0] == '{':
		return nil
	case bytes.HasPrefix(first, []byte("CDX ")):
		return errors.New("an index of archives: name the WARC files that it is of")
	}
	return errors.New("not pages: want WARC or ARC files, JSON lines, pages (.html, .txt, .pdf and the like), or folders of pages")
}

// errBare says that a line is a page without text. This is not a fault.
var errBare = errors.New(`"text" is null`)

// digestOf returns a digest that an export has next to a page's text; zero for other values.
func digestOf(value json.RawMessage) (d dedup.Digest) {
	var text string
	if json.Unmarshal(value, &text) == nil {
		d, _ = dedup.ParseDigest(text) // one of another kind says nothing here
	}
	return d
}

// object reads a line of JSON. If a page has both HTML and text, the HTML is used, since it has the
// layout.
func (s *Source) object(text []byte) (Page, error) {
	var in struct {
		URL    string          `json:"url"`
		Title  json.RawMessage `json:"title"`
		HTML   *string         `json:"html"`
		Text   *string         `json:"text"`
		Digest json.RawMessage `json:"digest"`
		Words  json.RawMessage `json:"body_digest"`
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
		_ = json.Unmarshal(in.Title, &p.Title) // a title that is not a string says nothing
		p.Digest, p.BodyDigest = digestOf(in.Digest), digestOf(in.Words)
	case isNull(text, "text"):
		p.Digest = digestOf(in.Digest)
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

// ExplainJSON returns an error in plain words if a line is not JSON, or a value has the wrong type.
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
		is = number // that does not fit
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
	told := int64(-1) // the damaged record or member that was reported last
	for {
		rec, err := in.Next()
		if err == io.EOF {
			return true
		}
		var damage *warc.RecordError
		if errors.As(err, &damage) {
			if damage.Place.Offset == told {
				continue // a second error in the same record, for example of its checksum after a header that cannot be read
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
		if !s.isPage(rec) {
			continue
		}
		p := s.record(rec, name)
		if errors.As(p.Fault, &damage) {
			told = damage.Place.Offset
		}
		if !yield(p) {
			return false
		}
	}
}

// damaged returns an error of an archive in words for its owner.
func damaged(err error) error {
	switch {
	case errors.Is(err, warc.ErrEncoding), errors.Is(err, warc.ErrDigest): // an ErrEncoding's file may be sound
		return fmt.Errorf("%w; the record is left out", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the file is cut short there; all before is read", err)
	case errors.Is(err, warc.ErrCompression):
		return fmt.Errorf("%w: the compressed data are damaged there; the record is left out", err)
	}
	return err
}

// isPage reports whether a record has a page: a response, a resource, a conversion of a page to
// text or, if Source.Revisited is set, a revisit. It counts revisits that are left out, and robots.txt
// files.
func (s *Source) isPage(rec *warc.Record) bool {
	switch rec.Type {
	case warc.Response, warc.Resource, warc.Conversion, warc.Revisit:
	default:
		return false
	}
	if warc.IsRobots(rec.URL()) {
		s.Robots++
		return false
	}
	if rec.Type == warc.Revisit && !s.Revisited {
		s.Revisits++
		return false
	}
	u, err := url.Parse(rec.URL())
	if err != nil {
		return true // it was fetched, whatever it is
	}
	switch u.Scheme {
	case "dns", "whois", "urn", "metadata", "screenshot", "about", "blob", "data", "chrome", "chrome-extension":
		return false // what crawlers store in addition to pages
	}
	return true
}

// record returns the page of a record.
func (s *Source) record(rec *warc.Record, name string) Page {
	place := rec.Place
	p := Page{File: name, Place: &place, URL: cmp.Or(rec.URL(), fmt.Sprintf("%s: %v", name, place)), Fetched: rec.Date()}
	if s.Revisited {
		p.Payload = rec.Fields.Get("WARC-Payload-Digest")
	}
	payload, err := rec.Payload(s.MaxBody)
	if rec.Type == warc.Revisit {
		if p.Status = payload.Status; p.Status < 400 { // a page that was not found is not a page of the collection
			p.Revisit = true
		}
		return p
	}
	if torn := rec.Verify(); torn != nil {
		err = torn // says more than what the damage did to the HTTP message
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

// notDocument returns why an answer is not a document; "" if it is one.
func (p *Page) notDocument() string {
	switch {
	case p.redirect():
		return "redirects to " + p.Location
	case p.Status != 0 && (p.Status < 200 || p.Status > 299):
		return strings.TrimSpace(fmt.Sprintf("http %d %s", p.Status, strings.ToLower(http.StatusText(p.Status))))
	}
	return ""
}

// Document returns the media type of a page, and whether it is a text document. Errors and
// redirects are not.
func (p *Page) Document() (kind string, text bool) {
	kind, text = p.mediaType()
	return kind, text && p.notDocument() == ""
}

// mediaType returns the type by which a body is decoded, and whether it is text. If the answer has
// no type or a wrong one, the body decides.
func (p *Page) mediaType() (kind string, text bool) {
	sent := p.Type
	if strings.HasPrefix(strings.ToLower(sent), "application/http") {
		sent = "" // the header has the type of the record, not of the page
	}
	t := fetch.MediaType(sent, p.Body)
	if says, _, _ := strings.Cut(sent, ";"); strings.EqualFold(strings.TrimSpace(says), t) {
		return sent, fetch.IsTextType(t)
	}
	return t, fetch.IsTextType(t)
}

// site returns the site of a page: its host or, if it has no URL, the name in Source.Names that led
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

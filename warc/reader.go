package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Options are the settings of a Reader.
type Options struct {
	// MaxHead is the longest head of a record that is read, in bytes. Default
	// 256 KiB. A record with a longer one is damage.
	MaxHead int
}

// DefaultOptions returns the defaults that Options names.
func DefaultOptions() Options { return Options{MaxHead: 256 << 10} }

// Validate reports every fault at once.
func (o Options) Validate() error {
	if o.MaxHead < 1<<10 {
		return fmt.Errorf("max head: want 1024 bytes or more, got %d", o.MaxHead)
	}
	return nil
}

// A Reader reads the records of one file in order. It is not safe for use by
// many goroutines.
type Reader struct {
	name    string
	o       Options
	members members
	text    *tape         // the open member's text; for a plain file that is the file
	in      *bufio.Reader // over text
	rec     *Record       // the last one given out
	lost    lost
	from    int64 // where to look for the next record, in the open member's text
	end     error
}

// lost says what has to be looked for after damage.
type lost uint8

const (
	lostNothing lost = iota
	lostRecord       // the next record in the text
	lostMember       // the next member in the file
)

// NewReader returns a reader of the file r, plain or compressed by gzip or zstd.
// Errors call it by name. Close it.
func NewReader(r io.Reader, name string, o Options) (*Reader, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("warc options: %w", err)
	}
	w := &Reader{name: name, o: o}
	w.members.raw.src = r
	w.members.file = bufio.NewReaderSize(&w.members.raw, 64<<10)
	w.members.detect()
	if w.members.codec == codecNone {
		w.text, w.in = &w.members.raw, w.members.file
	} else {
		w.text = &tape{src: eof{}}
		w.in = bufio.NewReaderSize(w.text, 32<<10)
	}
	return w, nil
}

// eof is an empty member.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// Close frees what the Reader holds. The file is the caller's to close.
func (r *Reader) Close() { r.members.close() }

// Next returns the next record. What is left of the one before is skipped. At
// the end of the file the error is io.EOF. A *RecordError is damage: the next
// call goes on behind it. Any other error is the file's, and final.
func (r *Reader) Next() (*Record, error) {
	if r.end != nil {
		return nil, r.end
	}
	rec, err := r.next()
	var damage *RecordError
	if err == nil || errors.As(err, &damage) && r.members.raw.err == nil {
		return rec, err
	}
	if r.end = err; r.members.raw.err != nil {
		r.end = fmt.Errorf("%s: %w", r.name, r.members.raw.err)
	}
	return nil, r.end
}

func (r *Reader) next() (*Record, error) {
	before := r.rec
	if before != nil && before.err == nil {
		if _, err := io.Copy(io.Discard, before); err != nil {
			return nil, err
		}
	}
	r.rec = nil
	if err := r.find(before); err != nil {
		return nil, err
	}
	return r.head()
}

// find goes to where the next record begins. The one before it may be to blame
// where none does.
func (r *Reader) find(before *Record) error {
	for {
		if err := r.recover(); err != nil {
			return err
		}
		if err := r.skipLineEnds(); err != nil && err != io.EOF {
			return r.damage(r.here(), lostMember, err)
		}
		b, err := r.in.Peek(5)
		switch {
		case string(b) == "WARC/":
			return nil
		case err != nil && err != io.EOF:
			return r.damage(r.here(), lostMember, err)
		case len(b) > 0 && before != nil && before.err == nil:
			r.from = before.begin
			return r.damage(before.Place, lostRecord, fmt.Errorf(
				"what follows its content of %d bytes is no record: its Content-Length is wrong, or the file is damaged there", before.Length))
		case len(b) > 0:
			r.from = r.place()
			return r.damage(r.here(), lostRecord, errors.New("no record begins here"))
		}
		before = nil
		if err := r.open(); err != nil {
			return err
		}
	}
}

// recover finds the way again after damage.
func (r *Reader) recover() error {
	was := r.lost
	r.lost = lostNothing
	switch was {
	case lostRecord:
		if err := r.scan(); err != nil && err != io.EOF {
			return r.damage(r.here(), lostMember, err)
		}
	case lostMember:
		if r.members.codec == codecNone {
			return io.EOF // nothing but the file itself can fail
		}
		if err := r.members.scan(); err != nil {
			return err
		}
		r.text.reset(eof{})
		r.in.Reset(r.text)
	}
	return nil
}

// open opens the next member of the file.
func (r *Reader) open() error {
	if err := r.members.open(); err != nil {
		var bad *codecError
		if errors.As(err, &bad) {
			return r.damage(Place{Offset: r.members.start}, lostMember, err)
		}
		return err
	}
	r.text.reset(&r.members)
	r.in.Reset(r.text)
	return nil
}

// place returns where in the open member's text reading goes on.
func (r *Reader) place() int64 { return r.text.place() - int64(r.in.Buffered()) }

// here is the place of what is read next.
func (r *Reader) here() Place {
	if r.members.codec == codecNone {
		return Place{Offset: r.place()}
	}
	return Place{Offset: r.members.start, Inside: r.place()}
}

// damage is an error after which something is lost.
func (r *Reader) damage(at Place, l lost, err error) error {
	r.lost = l
	return &RecordError{r.name, at, err}
}

func (r *Reader) skipLineEnds() error {
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return err
		}
		if c != '\r' && c != '\n' {
			return r.in.UnreadByte()
		}
	}
}

// scan goes to the next line of the text that begins a record, or to the end of
// the member.
func (r *Reader) scan() error {
	if r.place() > r.from && r.text.back(r.from) {
		r.in.Reset(r.text)
	}
	for {
		if b, _ := r.in.Peek(64); beginsRecord(b) {
			return nil
		}
		for {
			_, err := r.in.ReadSlice('\n')
			if err == nil {
				break
			}
			if err != bufio.ErrBufferFull {
				return err
			}
		}
	}
}

// beginsRecord knows a version line with a field behind it: a page about WARC
// may well have the first alone.
func beginsRecord(b []byte) bool {
	if !bytes.HasPrefix(b, []byte("WARC/")) {
		return false
	}
	version, rest, ok := bytes.Cut(b, []byte("\n"))
	if !ok || len(version) > 12 {
		return false
	}
	rest = bytes.ToLower(rest)
	return bytes.HasPrefix(rest, []byte("warc-")) || bytes.HasPrefix(rest, []byte("content-"))
}

// head reads the head of the record that begins here.
func (r *Reader) head() (*Record, error) {
	rec := &Record{Place: r.here(), reader: r}
	r.from = r.place() + 1
	lines, err := r.lines()
	if err != nil {
		return nil, r.broken(rec, err)
	}
	rec.Version = strings.TrimPrefix(lines[0], "WARC/")
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		if ok {
			rec.Fields = append(rec.Fields, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
	rec.Type = Type(strings.ToLower(rec.Fields.Get("WARC-Type")))
	length := rec.Fields.Get("Content-Length")
	n, err := strconv.ParseUint(length, 10, 63)
	if err != nil {
		return nil, r.damage(rec.Place, lostRecord, fmt.Errorf("head of the record: Content-Length is %q, not a number of bytes", length))
	}
	rec.Length, rec.left, rec.begin = int64(n), int64(n), r.place()
	r.rec = rec
	return rec, nil
}

// broken says that the head of a record cannot be read.
func (r *Reader) broken(rec *Record, err error) error {
	var bad *codecError
	var damage *RecordError
	l := lostRecord
	switch {
	case err == errCut:
		l = lostNothing
	case errors.As(err, &damage):
		l, err = lostMember, damage.Err
	case errors.As(err, &bad):
		l = lostMember
	}
	return r.damage(rec.Place, l, fmt.Errorf("head of the record: %w", err))
}

// lines reads lines up to an empty one. A line that begins with white space
// goes on from the one before.
func (r *Reader) lines() ([]string, error) {
	var lines []string
	for left := r.o.MaxHead; ; {
		line, err := r.headLine(&left)
		switch {
		case err != nil:
			return nil, err
		case line == "" && len(lines) > 0:
			return lines, nil
		case len(lines) > 0 && (line[0] == ' ' || line[0] == '\t'):
			lines[len(lines)-1] += " " + strings.TrimSpace(line)
		default:
			lines = append(lines, line)
		}
	}
}

// headLine reads a line without its end, and takes its length from what may be
// read.
func (r *Reader) headLine(left *int) (string, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			return "", errors.New("longer than is allowed")
		}
		line = append(line, part...)
		switch err {
		case nil:
			return string(bytes.TrimRight(line, "\r\n")), nil
		case bufio.ErrBufferFull:
		case io.EOF:
			if err := r.goOn(); err != nil {
				return "", unexpected(err)
			}
		default:
			return "", err
		}
	}
}

// errCut says that the next member begins with a record, where this one goes on.
var errCut = errors.New("breaks off")

// goOn opens the member in which a record goes on. Most often there is none.
func (r *Reader) goOn() error {
	if err := r.open(); err != nil {
		return err
	}
	if b, _ := r.in.Peek(64); beginsRecord(b) {
		return errCut
	}
	return nil
}

// read reads of the content of rec.
func (r *Reader) read(rec *Record, p []byte) (int, error) {
	for {
		n, err := r.in.Read(p)
		if n > 0 || len(p) == 0 {
			return n, nil // an error comes again
		}
		if err != io.EOF {
			return 0, r.damage(rec.Place, lostMember, err)
		}
		err = r.goOn()
		var damage *RecordError
		switch {
		case err == io.EOF, err == errCut:
			return 0, r.short(rec)
		case errors.As(err, &damage):
			return 0, r.damage(rec.Place, lostMember, damage.Err)
		case err != nil:
			return 0, err
		}
	}
}

// short says that the content broke off. In a plain file a wrong length may have
// swallowed what follows.
func (r *Reader) short(rec *Record) error {
	l := lostNothing
	if r.members.codec == codecNone {
		l, r.from = lostRecord, rec.begin
	}
	return r.damage(rec.Place, l, fmt.Errorf("the content breaks off after %d of %d bytes", rec.Length-rec.left, rec.Length))
}

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
	// MaxHead is the longest header of a record, in bytes. Default 256 KiB. A record with
	// a longer one counts as damage.
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

// A Reader reads the records of one file in order. It must not be used by several
// goroutines at once.
type Reader struct {
	name    string
	o       Options
	members members
	text    *rewindReader // the decompressed open member; a plain file itself
	in      *bufio.Reader // over text
	rec     *Record       // the last one returned
	started bool          // the first record was looked for
	resync  resync
	from    int64 // offset in the open member from which to look for the next record
	end     error
}

// A resync says what to look for after damage.
type resync uint8

const (
	resyncNone   resync = iota
	resyncRecord        // the next record in the open member
	resyncMember        // the next member in the file
)

// NewReader returns a reader of the file r, plain or compressed by gzip or zstd. An ARC file,
// which archives wrote before WARC, is read too: its records have the fields of a response.
// Errors have its name. The caller must call Close.
func NewReader(r io.Reader, name string, o Options) (*Reader, error) {
	return newReader(r, name, o, fileBuffer)
}

// fileBuffer is how many bytes of a file a Reader reads at once.
const fileBuffer = 64 << 10

func newReader(r io.Reader, name string, o Options, buffer int) (*Reader, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("warc options: %w", err)
	}
	w := &Reader{name: name, o: o}
	w.members.raw.src = r
	w.members.file = bufio.NewReaderSize(&w.members.raw, buffer)
	w.members.detect()
	if w.members.codec == codecNone {
		w.text, w.in = &w.members.raw, w.members.file
	} else {
		w.text = &rewindReader{src: eof{}}
		w.in = bufio.NewReaderSize(w.text, 32<<10)
	}
	return w, nil
}

// eof is an empty member.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// Close frees the decoders. It does not close the file.
func (r *Reader) Close() { r.members.close() }

// Next returns the next record, and skips the rest of the one before. At the end of the
// file the error is io.EOF. A *RecordError is damage: the next call continues after it.
// Any other error comes from reading the file, and is final.
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

// find goes to the start of the next record. If there is none, the length of the record
// before it may be wrong.
func (r *Reader) find(before *Record) error {
	for {
		if err := r.recover(); err != nil {
			return err
		}
		if err := r.skipLineEnds(); err != nil && err != io.EOF {
			return r.damage(r.here(), resyncMember, err)
		}
		b, starts, err := r.atRecord()
		switch {
		case starts:
			return nil
		case err != nil && err != io.EOF:
			return r.damage(r.here(), resyncMember, err)
		case len(b) > 0 && before != nil && before.err == nil:
			r.from = before.start
			return r.damage(before.Place, resyncRecord, fmt.Errorf(
				"no record follows its content of %d bytes: its Content-Length is wrong, or the file is damaged there", before.Length))
		case len(b) > 0:
			r.from = r.place()
			return r.damage(r.here(), resyncRecord, errors.New("no record starts here"))
		}
		before = nil
		if err := r.open(); err != nil {
			return err
		}
	}
}

// atRecord reports whether a record starts at the next byte, and returns some bytes from
// there. A file whose first record is that of an ARC file is one.
func (r *Reader) atRecord() (b []byte, starts bool, err error) {
	if !r.members.arc && !r.started {
		b, _ = r.in.Peek(len(arcMagic))
		r.members.arc = string(b) == arcMagic
	}
	if r.members.arc {
		b, _ = r.in.Peek(maxARCLine)
		starts = isARCRecord(b)
	}
	if b, err = r.in.Peek(len(recordMagic)); !r.members.arc {
		starts = isMagic(b)
	}
	r.started = r.started || len(b) > 0
	return b, starts, err
}

// recordMagic starts each record of a WARC file. Upper and lower case are the same (ISO 28500,
// section 4, and RFC 2616, section 2.1).
const recordMagic = "WARC/"

func isMagic(b []byte) bool {
	return len(b) >= len(recordMagic) && bytes.EqualFold(b[:len(recordMagic)], []byte(recordMagic))
}

// recover finds the next record or member after damage.
func (r *Reader) recover() error {
	was := r.resync
	r.resync = resyncNone
	switch was {
	case resyncRecord:
		if err := r.scan(); err != nil && err != io.EOF {
			return r.damage(r.here(), resyncMember, err)
		}
	case resyncMember:
		if r.members.codec == codecNone {
			return io.EOF // only the file itself can fail
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
			return r.damage(Place{Offset: r.members.start}, resyncMember, err)
		}
		return err
	}
	r.text.reset(&r.members)
	r.in.Reset(r.text)
	return nil
}

// place returns the offset of the next byte in the open member.
func (r *Reader) place() int64 { return r.text.offset() - int64(r.in.Buffered()) }

// here returns the place of the next byte.
func (r *Reader) here() Place {
	if r.members.codec == codecNone {
		return Place{Offset: r.place()}
	}
	return Place{Offset: r.members.start, Inside: r.place()}
}

// damage returns an error, and sets what to look for after it.
func (r *Reader) damage(at Place, l resync, err error) error {
	r.resync = l
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

// scan goes to the next line of the member that starts a record, or to its end.
func (r *Reader) scan() error {
	if r.place() > r.from && r.text.rewind(r.from) {
		r.in.Reset(r.text)
	}
	for {
		if r.seesRecord() {
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

// seesRecord reports whether a record starts at the next byte, where that may also be within
// the content of another one.
func (r *Reader) seesRecord() bool {
	if r.members.arc {
		b, _ := r.in.Peek(maxARCLine)
		return isARCRecord(b)
	}
	b, _ := r.in.Peek(64)
	return isRecordStart(b)
}

// isRecordStart reports whether b is a version line followed by a field: a page about WARC
// may well have the version line alone.
func isRecordStart(b []byte) bool {
	if !isMagic(b) {
		return false
	}
	version, rest, ok := bytes.Cut(b, []byte("\n"))
	if !ok || len(version) > 12 {
		return false
	}
	rest = bytes.ToLower(rest)
	return bytes.HasPrefix(rest, []byte("warc-")) || bytes.HasPrefix(rest, []byte("content-"))
}

// head reads the header of the next record.
func (r *Reader) head() (*Record, error) {
	rec := &Record{Place: r.here(), reader: r}
	r.from = r.place() + 1
	if err := r.fields(rec); err != nil {
		return nil, r.badHead(rec, err)
	}
	rec.Type = Type(strings.ToLower(rec.Fields.Get("WARC-Type")))
	length := rec.Fields.Get("Content-Length")
	n, err := strconv.ParseUint(length, 10, 63)
	switch {
	case length == "":
		return nil, r.damage(rec.Place, resyncRecord, errors.New("record header: it has no Content-Length"))
	case err != nil:
		return nil, r.damage(rec.Place, resyncRecord, fmt.Errorf("record header: Content-Length is %q, not a number of bytes", length))
	}
	rec.Length, rec.left, rec.start = int64(n), int64(n), r.place()
	if digest := rec.Fields.Get("WARC-Block-Digest"); digest != "" {
		if rec.sum = newDigest(digest); rec.sum != nil {
			rec.digest = digest
		}
	}
	r.rec = rec
	return rec, nil
}

// fields reads the header of a record.
func (r *Reader) fields(rec *Record) error {
	if r.members.arc {
		left := r.o.MaxHead
		line, err := r.headLine(&left)
		rec.Fields, _ = arcHead(line) // it was seen to be one
		return err
	}
	lines, err := r.lines()
	if err != nil {
		return err
	}
	rec.Version = lines[0][len(recordMagic):]
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		if ok {
			rec.Fields = append(rec.Fields, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
	return nil
}

// badHead returns the damage of a record whose header cannot be read.
func (r *Reader) badHead(rec *Record, err error) error {
	var bad *codecError
	var damage *RecordError
	l := resyncRecord
	switch {
	case err == errCutOff:
		l = resyncNone
	case errors.As(err, &damage):
		l, err = resyncMember, damage.Err
	case errors.As(err, &bad):
		l = resyncMember
	}
	return r.damage(rec.Place, l, fmt.Errorf("record header: %w", err))
}

// lines reads lines up to an empty one. A line that starts with white space continues the
// one before.
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

// headLine reads a line without its end, and subtracts its length from left.
func (r *Reader) headLine(left *int) (string, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			return "", errors.New("longer than the limit")
		}
		line = append(line, part...)
		switch err {
		case nil:
			return string(bytes.TrimRight(line, "\r\n")), nil
		case bufio.ErrBufferFull:
		case io.EOF:
			if err := r.continueRecord(); err != nil {
				return "", unexpected(err)
			}
		default:
			return "", err
		}
	}
}

// errCutOff says that the next member starts with another record although this one is not
// complete.
var errCutOff = errors.New("breaks off")

// continueRecord opens the member in which a record continues. Usually there is none.
func (r *Reader) continueRecord() error {
	if err := r.open(); err != nil {
		return err
	}
	if r.seesRecord() {
		return errCutOff
	}
	return nil
}

// read reads the content of rec.
func (r *Reader) read(rec *Record, p []byte) (int, error) {
	for {
		n, err := r.in.Read(p)
		if n > 0 || len(p) == 0 {
			return n, nil // an error is returned by the next call
		}
		if err != io.EOF {
			return 0, r.damage(rec.Place, resyncMember, err)
		}
		err = r.continueRecord()
		var damage *RecordError
		switch {
		case err == io.EOF, err == errCutOff:
			return 0, r.shortContent(rec)
		case errors.As(err, &damage):
			return 0, r.damage(rec.Place, resyncMember, damage.Err)
		case err != nil:
			return 0, err
		}
	}
}

// shortContent returns the damage of a record whose content is incomplete. In a plain file a
// wrong length may have skipped the records after it.
func (r *Reader) shortContent(rec *Record) error {
	l := resyncNone
	if r.members.codec == codecNone {
		l, r.from = resyncRecord, rec.start
	}
	return r.damage(rec.Place, l, fmt.Errorf("the content ends after %d of %d bytes", rec.Length-rec.left, rec.Length))
}

package warc

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ArchiveOptions are the settings of an Archive.
type ArchiveOptions struct {
	// Prefix starts the names of the files to come. Default "crawl".
	Prefix string

	// Compression of the files to come. Default Gzip, which all programs read.
	Compression Compression

	// MaxBytes is the size from which the next file is started. Default 1 GB, the usual size for
	// exchange between archives. A file exceeds it by less than one record.
	MaxBytes int64

	// MaxRecords is how many records a file may have. Default 100,000. The lines of
	// its index are in memory until it is complete, some 250 bytes each.
	MaxRecords int

	// Remember is how many payloads are remembered, the latest ones: a response with one
	// of them is written as a revisit, without its body. Default 65,536, some 200 bytes
	// each. Payloads of existing files are read from their indexes.
	Remember int

	// About has the fields of the first record of each file: software, operator and so
	// on.
	About Fields
}

// DefaultArchiveOptions returns the defaults that ArchiveOptions names.
func DefaultArchiveOptions() ArchiveOptions {
	return ArchiveOptions{Prefix: "crawl", Compression: Gzip, MaxBytes: 1e9, MaxRecords: 100_000, Remember: 1 << 16}
}

// Validate reports every fault at once.
func (o ArchiveOptions) Validate() error {
	var errs []error
	if !archiveName().MatchString(o.Prefix + "-00001.cdxj") {
		errs = append(errs, fmt.Errorf("prefix of the files: want letters, digits, '.', '_' or '-', got %q", o.Prefix))
	}
	if o.Compression != Gzip && o.Compression != Zstd {
		errs = append(errs, fmt.Errorf("compression of the files is %q: want gzip or zstd", o.Compression))
	}
	if o.MaxBytes < 1 {
		errs = append(errs, fmt.Errorf("bytes per file: want 1 or more, got %d", o.MaxBytes))
	}
	if o.MaxRecords < 1 {
		errs = append(errs, fmt.Errorf("records per file: want 1 or more, got %d", o.MaxRecords))
	}
	if o.Remember < 0 {
		errs = append(errs, fmt.Errorf("remembered payloads: want 0 or more, got %d", o.Remember))
	}
	return errors.Join(errs...)
}

// An Archive is a folder of compressed WARC files, one after the other, each with a
// CDXJ index next to it. The file that is being written ends in ".open". Its methods may
// be called from many goroutines; no other process may write to the folder.
type Archive struct {
	dir string
	o   ArchiveOptions

	mu     sync.Mutex
	serial int            // of the open file, or of the last one
	names  map[int]string // by serial: the files' names without their endings
	end    string         // what the name of the open file ends in
	file   *os.File       // nil: the next record starts one
	w      *Writer
	lines  []string // of the index of the file
	known  map[string]payloadRecord
	order  []string // the keys of known, the oldest at next once it is full
	next   int
	failed error
}

// A payloadRecord is the first record with a payload.
type payloadRecord struct {
	url string
	at  time.Time
}

const (
	indexEnd    = ".cdxj"
	openEnd     = ".open"
	revisitMIME = "warc/revisit" // as pywb has it
)

// archiveName matches the names of an archive's files: prefix, serial number and ending.
var archiveName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*-(\d{5,9}))(\.warc\.(?:gz|zst)(?:\.open)?|\.cdxj)$`)
})

// OpenArchive returns the archive in a folder, and makes the folder if it does not exist.
// A file that a crash left incomplete is cut after its last whole record and completed.
func OpenArchive(dir string, o ArchiveOptions) (*Archive, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("archive options: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	a := &Archive{dir: dir, o: o, names: make(map[int]string), known: make(map[string]payloadRecord)}
	for _, f := range files {
		m := archiveName().FindStringSubmatch(f.Name())
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[2]) // 9 digits fit
		if was := a.names[n]; was != "" && was != m[1] {
			return nil, fmt.Errorf("archive: %s has %s and %s: take one of them away, two files cannot have one number", dir, was, m[1])
		}
		a.names[n] = m[1]
		a.serial = max(a.serial, n)
		end, open := strings.CutSuffix(m[3], openEnd)
		if !open {
			continue
		}
		if err := a.recover(n, end); err != nil {
			return nil, fmt.Errorf("archive: %w", err)
		}
	}
	if err := a.recall(); err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return a, nil
}

// recall remembers the payloads of complete files, the newest first, up to
// ArchiveOptions.Remember. A file without an index is skipped.
func (a *Archive) recall() error {
	oldest, n := a.serial+1, 0 // n captures are in the files from here on
	var files [][]Capture      // the newest first
	for ; oldest > 1 && n < a.o.Remember; oldest-- {
		name := filepath.Join(a.dir, a.names[oldest-1]+indexEnd)
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		var cs []Capture
		for c, err := range Captures(f, name) {
			if err != nil {
				f.Close()
				return fmt.Errorf("%w: take this index away to go on; its answers are then written again in full", err)
			}
			if c.MIME != revisitMIME {
				cs = append(cs, c)
			}
		}
		f.Close()
		files, n = append(files, cs), n+len(cs)
	}
	for _, cs := range slices.Backward(files) {
		for _, c := range cs {
			if _, ok := a.known[c.Digest]; !ok {
				a.remember(c.Digest, payloadRecord{c.URL, c.Time})
			}
		}
	}
	return nil
}

// Write adds records, which follow each other directly, and in one file unless that is full. A
// response with a remembered body is written as a revisit. After an error nothing more is
// written; opening the archive again repairs it.
func (a *Archive) Write(ds ...Draft) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range ds {
		if a.failed == nil {
			a.failed = a.write(d)
		}
	}
	return a.failed
}

func (a *Archive) write(d Draft) error {
	if a.file == nil {
		if err := a.newFile(d.Date); err != nil {
			return fmt.Errorf("archive: %w", err)
		}
	}
	digest := d.Fields.Get("WARC-Payload-Digest")
	if payload, ok := d.payload(); ok && len(payload) > 0 {
		digest = DigestOf(payload)
		if was, ok := a.known[digest]; ok {
			d = RevisitDraft(d, digest, was.url, was.at)
		} else {
			d.Fields = append(slices.Clone(d.Fields), Field{"WARC-Payload-Digest", digest})
			a.remember(digest, payloadRecord{d.URL, d.Date})
		}
	}
	at, length, err := a.w.Write(d)
	if err != nil {
		return fmt.Errorf("archive: %s: %w", a.file.Name(), err)
	}
	c := CaptureOf(d)
	c.Digest, c.Offset, c.Length, c.File = digest, at, length, a.names[a.serial]+a.end
	a.index(d.Type, c)
	if at+length >= a.o.MaxBytes || len(a.lines) >= a.o.MaxRecords {
		return a.complete()
	}
	return nil
}

// newFile opens the next file.
func (a *Archive) newFile(now time.Time) error {
	a.serial++
	a.names[a.serial] = fmt.Sprintf("%s-%05d", a.o.Prefix, a.serial)
	a.end = a.o.Compression.Ending()
	f, err := os.OpenFile(a.path(a.end)+openEnd, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	a.file, a.w, a.lines = f, NewWriter(f, a.o.Compression, 0), nil
	info := InfoDraft(now, a.o.About)
	info.Fields = Fields{{"WARC-Filename", a.names[a.serial] + a.end}}
	_, _, err = a.w.Write(info)
	return err
}

// path is that of the open file, or of its index, by the ending.
func (a *Archive) path(end string) string { return filepath.Join(a.dir, a.names[a.serial]+end) }

// remember stores a payload, and forgets the oldest if there are too many.
func (a *Archive) remember(digest string, e payloadRecord) {
	if a.o.Remember == 0 {
		return
	}
	if len(a.order) < a.o.Remember {
		a.order = append(a.order, digest)
	} else {
		delete(a.known, a.order[a.next])
		a.order[a.next] = digest
		a.next = (a.next + 1) % len(a.order)
	}
	a.known[digest] = e
}

// index adds the index line of a response.
func (a *Archive) index(t Type, c Capture) {
	switch t {
	case Response:
		c.MIME, _, _ = strings.Cut(strings.ToLower(c.MIME), ";")
		c.MIME = strings.TrimSpace(c.MIME)
	case Revisit:
		c.MIME = revisitMIME
	default:
		return
	}
	a.lines = append(a.lines, string(AppendCDXJ(nil, c)))
}

// complete writes the index of the open file and gives both their final names.
func (a *Archive) complete() error {
	f := a.file
	a.file = nil
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if err := a.publish(); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return nil
}

// publish writes the sorted index and then renames the file: an index does not count while
// its file still ends in ".open".
func (a *Archive) publish() error {
	slices.Sort(a.lines)
	tmp := a.path(indexEnd) + openEnd
	if err := os.WriteFile(tmp, []byte(strings.Join(a.lines, "")), 0o600); err != nil {
		return err
	}
	a.lines = nil
	if err := os.Rename(tmp, a.path(indexEnd)); err != nil {
		return err
	}
	return os.Rename(a.path(a.end)+openEnd, a.path(a.end))
}

// recover completes a file that a crash left incomplete, up to its last whole record.
func (a *Archive) recover(serial int, ending string) error {
	last := a.serial
	a.serial, a.end = serial, ending
	defer func() { a.serial = max(last, serial) }()
	path := a.path(a.end) + openEnd
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	end, err := a.scan(f, path)
	if err == nil {
		err = errors.Join(f.Truncate(end), f.Sync())
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if end == 0 {
		return os.Remove(path) // not even the first record is whole
	}
	return a.publish()
}

// scan makes the index lines of a file and returns where its last whole record ends.
func (a *Archive) scan(f *os.File, path string) (end int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	r, err := NewReader(f, path, DefaultOptions())
	if err != nil {
		return 0, err
	}
	defer r.Close()
	a.lines = nil
	var c Capture
	var kind Type
	flush := func(end int64) {
		if c.Length = end - c.Offset; kind != "" {
			a.index(kind, c)
		}
	}
	for {
		rec, err := r.Next()
		var torn *RecordError
		switch {
		case err == io.EOF:
			flush(info.Size())
			return info.Size(), nil
		case errors.As(err, &torn):
			if c.Offset < torn.Place.Offset { // the damage is not after the content of the last record
				flush(torn.Place.Offset)
			}
			return torn.Place.Offset, nil
		case err != nil:
			return 0, err
		}
		flush(rec.Place.Offset)
		kind = ""
		p, err := rec.Payload(0)
		if _, more := io.Copy(io.Discard, rec); more != nil {
			err = more
		}
		if errors.As(err, &torn) {
			return rec.Place.Offset, nil
		}
		kind = rec.Type
		c = Capture{
			URL: rec.URL(), Time: rec.Date(), Status: p.Status, MIME: p.ContentType,
			Digest: rec.Fields.Get("WARC-Payload-Digest"), Offset: rec.Place.Offset, File: a.names[a.serial] + a.end,
		}
	}
}

// Close completes the open file.
func (a *Archive) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file == nil {
		return nil
	}
	if a.failed != nil {
		return a.file.Close() // opening the archive again repairs it
	}
	a.failed = errors.New("archive is closed")
	return a.complete()
}

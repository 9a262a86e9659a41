package segment

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"gatecrawl.example/gatecrawl/warc"
)

// An End says where the data end that the caller knows.
type End struct {
	File uint32 `json:"file"` // number of the last segment; 0: it is not known, and nothing is cut off
	Size int64  `json:"size"` // of it
}

// Segments are the files of a folder. Append, Sync and End are for one goroutine, the writer; all
// other methods may be called from any.
type Segments struct {
	dir      string
	o        Options
	fs       files
	readOnly bool

	dict     atomic.Pointer[dictionary] // for the records that are packed now
	training atomic.Bool                // samples are needed
	none     *dictionary                // for segments without a dictionary

	// For the writer only.
	at      int64 // length of the open segment, with what is buffered
	using   *dictionary
	next    uint32 // the number of the next segment
	samples []sample
	created bool  // its name is not durable yet
	failed  error // why nothing can be written any more

	mu      sync.Mutex
	open    uint32            // number of the open segment, which only the writer changes; 0: the next record starts one
	names   map[uint32]string // of the existing segments, by number
	handles map[uint32]file
	dicts   map[uint32]*dictionary // with coders, by id
	known   map[uint32][]byte      // those of which the caller has a copy, by id
	buffer  []byte                 // the end of the open segment, which is not written yet
	written int64                  // bytes of the open segment that are in the file
	dirty   bool                   // something was written since the last sync
}

var errReadOnly = errors.New("segments were opened to be read")

// flushAt is how much is buffered before it is written.
const flushAt = 256 << 10

// nameForm matches the names of segments: prefix, number, compression.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^.+-(\d{5,9})\.warc\.(zst|gz)$`) })

// Open opens the segments of a folder for writing, and creates the folder if there is none. Bytes
// after end are cut off, since no place refers to them. dicts are the dictionaries of which the
// caller has a copy, by id. A segment that ends before end is left unchanged, and the next record
// starts another one.
func Open(dir string, end End, dicts map[uint32][]byte, o Options) (*Segments, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("segments: %w", err)
	}
	s, err := newSegments(dir, dicts, o)
	if err != nil {
		return nil, fmt.Errorf("segments: %w", err)
	}
	if err := s.recover(end); err != nil {
		return nil, errors.Join(fmt.Errorf("segments: %w", err), s.Close())
	}
	return s, nil
}

// OpenReadOnly opens the segments of a folder for reading. There may be none.
func OpenReadOnly(dir string, dicts map[uint32][]byte) (*Segments, error) {
	s, err := newSegments(dir, dicts, Options{})
	if err != nil {
		return nil, fmt.Errorf("segments: %w", err)
	}
	s.readOnly = true
	return s, nil
}

func newSegments(dir string, dicts map[uint32][]byte, o Options) (*Segments, error) {
	s := &Segments{
		dir: dir, o: o, fs: o.fs, names: make(map[uint32]string), handles: make(map[uint32]file),
		dicts: make(map[uint32]*dictionary), known: dicts,
	}
	if s.fs == nil {
		s.fs = system{}
	}
	var err error
	if s.none, err = newDictionary(nil); err != nil {
		return nil, err
	}
	s.dict.Store(s.none)
	s.dicts[0] = s.none
	return s, s.list()
}

// Any returns the path of a segment in a folder that has records; "" if there is none.
func Any(dir string) (path string, err error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, f := range files {
		if !nameForm().MatchString(f.Name()) {
			continue
		}
		if i, err := f.Info(); err == nil && i.Size() > 0 {
			return filepath.Join(dir, f.Name()), nil
		}
	}
	return "", nil
}

// list finds the segments that exist.
func (s *Segments) list() error {
	files, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if m := nameForm().FindStringSubmatch(f.Name()); m != nil {
			n, _ := strconv.ParseUint(m[1], 10, 32) // 9 digits fit
			if was, twice := s.names[uint32(n)]; twice {
				return fmt.Errorf("%s has %s and %s: take one of them away, two segments cannot have one number", s.dir, was, f.Name())
			}
			s.names[uint32(n)] = f.Name()
		}
	}
	return nil
}

// recover cuts off the bytes after the end, and determines where to continue writing.
func (s *Segments) recover(end End) error {
	for _, n := range s.numbers() {
		if behind := n > end.File || n == end.File && end.Size == 0; end.File > 0 && behind {
			if err := s.fs.remove(filepath.Join(s.dir, s.names[n])); err != nil {
				return err
			}
			delete(s.names, n)
		}
	}
	s.next = max(end.File, 1)
	for n := range s.names {
		s.next = max(s.next, n+1)
	}
	if end.Size > 0 {
		s.next = max(s.next, end.File+1) // even if that segment is lost
	}
	size, err := s.cut(end)
	if err != nil {
		return err
	}
	if err := s.takeUp(end, size); err != nil {
		return err
	}
	s.training.Store(s.o.Compression == warc.Zstd && s.o.Train > 0 && s.dict.Load().id == 0)
	return nil
}

// cut shortens the last segment to the end, and returns its length; 0 if it does not exist.
func (s *Segments) cut(end End) (size int64, err error) {
	name := s.names[end.File]
	if name == "" {
		return 0, nil
	}
	i, err := os.Stat(filepath.Join(s.dir, name))
	if err != nil || i.Size() <= end.Size {
		return i.Size(), err
	}
	f, err := s.handle(end.File)
	if err != nil {
		return 0, err
	}
	if err := f.Truncate(end.Size); err != nil {
		return 0, err
	}
	return end.Size, f.Sync()
}

// takeUp loads the last dictionary, and continues with the last segment if it is complete and has
// the prefix, compression and dictionary that a new one would have.
func (s *Segments) takeUp(end End, size int64) error {
	for _, n := range slices.Backward(s.numbers()) {
		d, err := s.dictOf(n)
		if err == nil && d.id != 0 { // Check reports what is wrong with it
			s.dict.Store(d)
			break
		}
	}
	if size == 0 || size != end.Size || size >= s.o.MaxBytes || s.names[end.File] != s.name(end.File) {
		return nil
	}
	if s.o.Compression == warc.Zstd {
		if d, err := s.dictOf(end.File); err != nil || d != s.dict.Load() {
			return nil
		}
	}
	if _, err := s.handle(end.File); err != nil {
		return err
	}
	s.open, s.at, s.written, s.using = end.File, size, size, s.dict.Load()
	return nil
}

// name returns the name for a new segment.
func (s *Segments) name(n uint32) string {
	return fmt.Sprintf("%s-%05d%s", s.o.Prefix, n, s.o.Compression.Ending())
}

// numbers returns the numbers of the existing segments, in rising order.
func (s *Segments) numbers() []uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.names))
}

// Append adds a record to the open segment, and returns its place. It can be read from then on, and
// is durable after Sync. If Append has started a segment whose dictionary the caller does not have,
// it returns the dictionary too: it must be stored in the commit that has the place.
func (s *Segments) Append(p *Packed) (place Place, id uint32, dict []byte, err error) {
	if s.readOnly {
		return place, 0, nil, errReadOnly
	}
	if s.failed == nil {
		place, id, dict, s.failed = s.append(p)
	}
	return place, id, dict, s.failed
}

func (s *Segments) append(p *Packed) (place Place, id uint32, dict []byte, err error) {
	if err := s.learn(p); err != nil {
		return place, 0, nil, err
	}
	if s.open == 0 {
		if id, dict, err = s.start(); err != nil {
			return place, 0, nil, fmt.Errorf("start of a segment: %w", err)
		}
	}
	if p.dict != nil && p.dict != s.using {
		if err := p.repack(s.using); err != nil {
			return place, 0, nil, fmt.Errorf("%s: %w", s.names[s.open], err)
		}
	}
	place = Place{File: s.open, Offset: s.at, Length: uint32(len(p.bytes)), Plain: uint32(p.plain), Sum: p.sum}
	if err := s.add(p.bytes); err != nil {
		return place, 0, nil, err
	}
	if s.at >= s.o.MaxBytes {
		return place, id, dict, s.seal()
	}
	return place, id, dict, nil
}

// learn adds a sample of a record, and makes a dictionary when there are enough samples, which
// takes some milliseconds. Then the open segment, which has none, ends.
func (s *Segments) learn(p *Packed) error {
	if !s.training.Load() || p.sample.bytes == nil {
		return nil
	}
	if s.samples = append(s.samples, p.sample); len(s.samples) < s.o.Train {
		return nil
	}
	s.training.Store(false)
	d := train(s.samples)
	s.samples = nil
	if d == nil {
		return nil
	}
	s.dict.Store(d)
	return s.seal()
}

// start starts the next segment.
func (s *Segments) start() (id uint32, dict []byte, err error) {
	n := s.next
	s.using = s.none
	if s.o.Compression == warc.Zstd {
		s.using = s.dict.Load()
	}
	f, err := s.fs.open(filepath.Join(s.dir, s.name(n)), true)
	if err != nil {
		return 0, nil, err
	}
	s.mu.Lock()
	s.names[n], s.handles[n] = s.name(n), f
	s.open, s.buffer, s.written = n, s.buffer[:0], 0
	known := s.known[s.using.id] != nil
	if s.using.id != 0 && !known {
		id, dict = s.using.id, s.using.bytes
		if s.known == nil {
			s.known = make(map[uint32][]byte)
		}
		s.known[id] = dict
	}
	if s.using.id != 0 {
		s.dicts[s.using.id] = s.using
	}
	s.mu.Unlock()
	s.at, s.next, s.created = 0, n+1, true
	if s.using.id != 0 {
		if err := s.add(s.using.frame()); err != nil {
			return 0, nil, err
		}
	}
	info := warc.InfoDraft(time.Now(), s.o.About)
	info.Fields = append(info.Fields, warc.Field{Name: "WARC-Filename", Value: s.name(n)})
	about, err := s.Pack(&Record{Draft: info, Head: info.Content})
	if err != nil {
		return 0, nil, err
	}
	if about.dict != nil && about.dict != s.using {
		if err := about.repack(s.using); err != nil {
			return 0, nil, err
		}
	}
	return id, dict, s.add(about.bytes)
}

// add appends bytes to the open segment.
func (s *Segments) add(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buffer = append(s.buffer, b...)
	s.at += int64(len(b))
	if len(s.buffer) < flushAt {
		return nil
	}
	return s.flush()
}

// flush writes the buffer. The caller holds s.mu.
func (s *Segments) flush() error {
	if len(s.buffer) == 0 {
		return nil
	}
	if _, err := s.handles[s.open].WriteAt(s.buffer, s.written); err != nil {
		return fmt.Errorf("%s: %w", s.names[s.open], err)
	}
	s.written += int64(len(s.buffer))
	s.buffer, s.dirty = s.buffer[:0], true
	return nil
}

// seal ends the open segment.
func (s *Segments) seal() error {
	if s.open == 0 {
		return nil
	}
	err := s.sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = 0
	return err
}

// Sync makes the appended records durable.
func (s *Segments) Sync() error {
	if s.failed == nil {
		s.failed = s.sync()
	}
	return s.failed
}

func (s *Segments) sync() error {
	if s.open == 0 {
		return nil
	}
	s.mu.Lock()
	err := s.flush()
	dirty, f := s.dirty, s.handles[s.open]
	s.dirty = false
	s.mu.Unlock()
	if err != nil || !dirty {
		return err
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("%s: %w", s.names[s.open], err)
	}
	if s.created {
		s.created = false
		return s.fs.syncDir(s.dir)
	}
	return nil
}

// End returns the end of the appended records. It must be committed together with their places,
// after Sync.
func (s *Segments) End() End {
	if s.open == 0 {
		return End{File: s.next}
	}
	return End{File: s.open, Size: s.at}
}

// Close closes the files. Records that were not synced may be lost.
func (s *Segments) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for n, f := range s.handles {
		errs = append(errs, f.Close())
		delete(s.handles, n)
	}
	for id, d := range s.dicts {
		d.close()
		delete(s.dicts, id)
	}
	return errors.Join(errs...)
}

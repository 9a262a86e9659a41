package export

import (
	"bufio"
	"compress/gzip"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/warc"
)

// An output is where rows are written.
type output interface {
	write(r *row) (rows int64, err error)
	finish() (files int, err error)
	abort() error
}

// newOutput returns the output that an export's options name.
func newOutput(e *Exporter) (output, error) {
	o := &e.o
	isDir := false
	if i, err := os.Stat(o.Path); o.Path != "" && err == nil {
		isDir = i.IsDir()
	}
	switch {
	case o.Path == "":
		w := &counter{w: bufio.NewWriterSize(o.Out, bufferSize)}
		s, err := e.newSink(w)
		return &stream{w: w, sink: s}, err
	case o.ShardBytes > 0 || isDir || strings.HasSuffix(o.Path, "/") || strings.HasSuffix(o.Path, string(filepath.Separator)):
		return newFolder(e)
	}
	f, err := createFile(e, o.Path, compressionOf(o.Path))
	if err != nil {
		return nil, err
	}
	return &single{f}, nil
}

const bufferSize = 256 << 10

// A counter counts the bytes of a format, before compression.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// A stream is an output that the caller has opened.
type stream struct {
	w *counter
	sink
}

func (s *stream) finish() (int, error) {
	return 0, errors.Join(s.sink.close(), s.w.w.(*bufio.Writer).Flush())
}

func (s *stream) abort() error { return aborted(s.sink) }

// A file is written under a temporary name next to its final one.
type file struct {
	path, tmp string
	f         *os.File
	buffered  *bufio.Writer
	packed    io.WriteCloser // nil: the file is not compressed
	counted   *counter
	sink
}

// compressionOf returns the compression by a name's ending.
func compressionOf(name string) warc.Compression {
	switch filepath.Ext(name) {
	case ".gz":
		return warc.Gzip
	case ".zst":
		return warc.Zstd
	}
	return ""
}

// createFile creates a file for an export.
func createFile(e *Exporter, path string, compression warc.Compression) (*file, error) {
	if i, err := os.Stat(path); err == nil && !i.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is neither a file nor a folder: write to standard output, and lead that there", path)
	}
	if err := hasFolder(path); err != nil {
		return nil, err
	}
	f := &file{path: path, tmp: filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()[:8]+".part")}
	var err error
	if f.f, err = os.OpenFile(f.tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, err
	}
	f.buffered = bufio.NewWriterSize(f.f, bufferSize)
	inner := io.Writer(f.buffered)
	if e.o.Format == WARC || e.o.Format == WET || e.o.Format == WACZ || e.o.Format == Parquet {
		compression = "" // these formats compress their records themselves
	}
	switch compression {
	case warc.Gzip:
		f.packed = gzip.NewWriter(inner)
	case warc.Zstd:
		if f.packed, err = zstd.NewWriter(inner, zstd.WithEncoderConcurrency(1)); err != nil {
			return nil, errors.Join(err, f.abort())
		}
	}
	if f.packed != nil {
		inner = f.packed
	}
	f.counted = &counter{w: inner}
	s, err := e.newSink(f.counted)
	if err != nil {
		return nil, errors.Join(err, f.abort())
	}
	f.sink = s
	return f, nil
}

// hasFolder returns an error for a path whose folder does not exist.
func hasFolder(path string) error {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder %s does not exist: make it, or name another", dir)
	}
	return nil
}

// complete makes the file durable under its temporary name.
func (f *file) complete() error {
	err := f.sink.close()
	if err == nil && f.packed != nil {
		err = f.packed.Close()
	}
	if err == nil {
		err = f.buffered.Flush()
	}
	if err == nil {
		err = f.f.Sync()
	}
	return errors.Join(err, f.f.Close())
}

// finish gives the file its final name.
func (f *file) finish() error {
	err := f.complete()
	if err == nil {
		err = os.Rename(f.tmp, f.path)
	}
	if err != nil {
		os.Remove(f.tmp) // it is incomplete
		return fmt.Errorf("%s is not written: %w", f.path, err)
	}
	return durable.SyncDir(filepath.Dir(f.path))
}

// abort removes the file.
func (f *file) abort() error {
	f.f.Close()
	return errors.Join(aborted(f.sink), os.Remove(f.tmp))
}

// aborted frees what a sink has in addition to its file.
func aborted(s sink) error {
	if s, ok := s.(interface{ abort() error }); ok {
		return s.abort()
	}
	return nil
}

// A single is an output of one file.
type single struct{ f *file }

func (s *single) write(r *row) (int64, error) { return s.f.write(r) }

func (s *single) finish() (int, error) { return 1, s.f.finish() }

func (s *single) abort() error { return s.f.abort() }

// A folder is an output of many files. They are written into a temporary folder next to it, which
// gets its name when all of them are complete.
type folder struct {
	e         *Exporter
	path, tmp string
	now       *file // the shard that is being written; nil: none
	files     int
	names     pageNames
}

func newFolder(e *Exporter) (*folder, error) {
	path := filepath.Clean(e.o.Path)
	switch files, err := os.ReadDir(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("%s cannot be a folder of shards: %w", path, err)
	case len(files) > 0:
		return nil, fmt.Errorf("the folder %s is not empty: name a new one, or empty it", path)
	}
	if err := hasFolder(path); err != nil {
		return nil, err
	}
	f := &folder{e: e, path: path, names: make(pageNames)}
	f.tmp = filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()[:8]+".part")
	if err := os.Mkdir(f.tmp, 0o777); err != nil {
		return nil, err
	}
	return f, nil
}

// shardEnd returns the extension of a shard.
func (f *folder) shardEnd() string {
	switch f.e.o.Format {
	case Markdown:
		return ".md"
	case Text:
		return ".txt"
	case WARC, WET:
		return "." + string(f.e.o.Format) + ".gz"
	case Edges:
		return ".csv"
	}
	return "." + string(f.e.o.Format)
}

func (f *folder) write(r *row) (int64, error) {
	if f.e.o.ShardBytes == 0 && (f.e.o.Format == Markdown || f.e.o.Format == Text) {
		return f.writePage(r)
	}
	if f.now != nil && f.e.o.ShardBytes > 0 && f.now.size() >= f.e.o.ShardBytes {
		if err := f.endShard(); err != nil {
			return 0, err
		}
	}
	if f.now == nil {
		var err error
		f.now, err = createFile(f.e, filepath.Join(f.tmp, fmt.Sprintf("part-%05d%s", f.files+1, f.shardEnd())), "")
		if err != nil {
			return 0, err
		}
	}
	return f.now.write(r)
}

// size returns how many bytes of the format were written or are buffered.
func (f *file) size() int64 {
	if s, ok := f.sink.(interface{ waiting() int64 }); ok {
		return f.counted.n + s.waiting()
	}
	return f.counted.n
}

func (f *folder) endShard() error {
	err := f.now.finish()
	f.now = nil
	f.files++
	return err
}

// writePage writes a page into a file of its own. These are not synced one by one, which would take
// longer than everything else; the folder gets its name after them.
func (f *folder) writePage(r *row) (int64, error) {
	text, err := r.text(f.e.o.Format == Text)
	if err != nil || text == "" {
		if err == nil {
			f.e.tally.Bare++
		}
		return 0, err
	}
	path := filepath.Join(f.tmp, filepath.FromSlash(f.names.nameFor(r.url, f.shardEnd())))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return 0, err
	}
	page, err := f.e.withFrontMatter(r, text)
	if err != nil {
		return 0, err
	}
	f.files++
	return 1, os.WriteFile(path, page, 0o666)
}

func (f *folder) finish() (int, error) {
	var err error
	if f.now != nil {
		err = f.endShard()
	}
	if err == nil {
		err = durable.SyncDir(f.tmp)
	}
	if err == nil {
		if err = os.Remove(f.path); errors.Is(err, fs.ErrNotExist) { // it was empty when it was checked
			err = nil
		}
	}
	if err == nil {
		err = os.Rename(f.tmp, f.path)
	}
	if err != nil {
		return 0, fmt.Errorf("%s is not written: %w", f.path, errors.Join(err, os.RemoveAll(f.tmp)))
	}
	return f.files, durable.SyncDir(filepath.Dir(f.path))
}

func (f *folder) abort() error {
	var err error
	if f.now != nil {
		err = f.now.abort()
	}
	return errors.Join(err, os.RemoveAll(f.tmp))
}

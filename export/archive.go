package export

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/warc"
)

// A place is the position of a record in an archive; the zero place is none.
type place struct {
	file           string
	offset, length int64
	revisit        bool // its payload is in another record
}

// An archive knows the positions of a job's records, by URL and second, from the indexes of its
// complete files.
type archive struct {
	dir   string
	files []string
	rows  []archived // by sum
	open  *os.File   // the last file that was read
}

type archived struct {
	sum            uint64
	offset, length int64
	file           int32
	revisit        bool
}

func sumOf(url string, at time.Time) uint64 {
	return xxhash.Sum64String(url + " " + at.UTC().Format(time.DateTime))
}

// openArchive reads the indexes in a folder. Bad lines are skipped: their records are not found.
func openArchive(dir string) (*archive, error) {
	a := &archive{dir: dir}
	if dir == "" {
		return a, nil
	}
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".cdxj") {
			if err := a.readIndex(filepath.Join(dir, f.Name())); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(a.rows, func(x, y archived) int { return cmp.Or(cmp.Compare(x.sum, y.sum), cmp.Compare(x.file, y.file)) })
	return a, nil
}

func (a *archive) readIndex(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for c, err := range warc.Captures(f, path) {
		var bad *warc.LineError
		if errors.As(err, &bad) {
			continue
		}
		if err != nil {
			return err
		}
		if c.File == "" || c.Offset < 0 {
			continue
		}
		at := slices.Index(a.files, c.File)
		if at < 0 {
			at = len(a.files)
			a.files = append(a.files, c.File)
		}
		a.rows = append(a.rows, archived{
			sum: sumOf(c.URL, c.Time), offset: c.Offset, length: c.Length, file: int32(at), revisit: strings.Contains(c.MIME, "revisit"),
		})
	}
	return nil
}

// find returns the place of the response that a URL gave at a time; a record with a payload is
// preferred.
func (a *archive) find(url string, at time.Time) place {
	if len(a.rows) == 0 || at.IsZero() {
		return place{}
	}
	sum := sumOf(url, at)
	i, ok := slices.BinarySearchFunc(a.rows, sum, func(r archived, sum uint64) int { return cmp.Compare(r.sum, sum) })
	if !ok {
		return place{}
	}
	best := a.rows[i]
	for ; i < len(a.rows) && a.rows[i].sum == sum; i++ {
		if best.revisit && !a.rows[i].revisit {
			best = a.rows[i]
		}
	}
	return place{a.files[best.file], best.offset, best.length, best.revisit}
}

// read returns the bytes of a record as they are in its file, possibly compressed.
func (a *archive) read(p place) ([]byte, error) {
	path := filepath.Join(a.dir, p.file)
	if a.open == nil || a.open.Name() != path {
		a.close()
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		a.open = f
	}
	b := make([]byte, p.length)
	if _, err := a.open.ReadAt(b, p.offset); err != nil {
		return nil, fmt.Errorf("%s: the record at %d cannot be read: %w", path, p.offset, err)
	}
	return b, nil
}

func (a *archive) close() {
	if a.open != nil {
		a.open.Close() // it was only read
		a.open = nil
	}
}

// uncompressed returns the contents of a record's gzip member or zstd frame.
func uncompressed(b []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	case bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return io.ReadAll(z)
	}
	return b, nil
}

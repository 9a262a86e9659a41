package corpus

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"gatecrawl.example/gatecrawl/warc"
)

// wacz yields the pages of the WARC files in a WACZ (version 1.1.1, section 5: they are in the
// folder archive). The File of such a page is the name of the WACZ, a slash, and the path in it.
func (s *Source) wacz(r io.Reader, name string, yield func(Page) bool) bool {
	in, err := OpenWACZ(r)
	if err != nil {
		return yield(Page{File: name, Fault: fmt.Errorf("%s: %w", name, err)})
	}
	found := false
	for _, f := range in.File {
		if !InArchive(f.Name) {
			continue
		}
		found = true
		within := name + "/" + f.Name
		records, err := f.Open()
		if err != nil {
			if !yield(Page{File: within, Fault: fmt.Errorf("%s: %w", within, err)}) {
				return false
			}
			continue
		}
		more := s.archive(records, within, yield)
		records.Close()
		if !more {
			return false
		}
	}
	if !found {
		return yield(Page{File: name, Fault: fmt.Errorf("%s: a WACZ without a WARC file in its folder archive", name)})
	}
	return true
}

// InArchive reports whether a file of a WACZ is one of its WARC files.
func InArchive(name string) bool { return path.Dir(name) == "archive" && warc.IsArchiveName(name) }

// OpenWACZ reads the directory of a WACZ, which is at its end: r has to be a file.
func OpenWACZ(r io.Reader) (*zip.Reader, error) {
	f, ok := r.(*os.File)
	if !ok {
		return nil, errors.New("a WACZ is read from a file, not from standard input")
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("a WACZ is read from a file, not from a pipe")
	}
	in, err := zip.NewReader(f, info.Size())
	if errors.Is(err, zip.ErrFormat) {
		return nil, errors.New("a WACZ that is cut short or damaged: its directory, at its end, is not there")
	}
	return in, err
}

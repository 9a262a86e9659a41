package export

import (
	"fmt"
	"path/filepath"

	"gatecrawl.example/gatecrawl/warc"
	"gatecrawl.example/gatecrawl/warc/wacz"
)

// A replay writes a WACZ: the records of pages, and each page with its text.
type replay struct {
	w *wacz.Writer
	e *Exporter
}

func newArchive(w *counter, e *Exporter) (*replay, error) {
	o := wacz.Options{Title: e.o.Title, Description: e.o.Description, Software: e.o.Software, About: e.about()}
	if e.o.Path != "" {
		o.Dir = filepath.Dir(filepath.Clean(e.o.Path)) // the disk that has to hold the result
	}
	z, err := wacz.NewWriter(w, o)
	return &replay{z, e}, err
}

func (s *replay) write(r *row) (int64, error) {
	d, ok, err := s.record(r)
	if err != nil {
		return 0, err
	}
	if !ok {
		s.e.tally.Bare++
		return 0, nil
	}
	if err := s.w.AddRecord(d); err != nil {
		return 0, err
	}
	if r.from.Requisite {
		return 1, nil
	}
	v, err := r.view()
	if err != nil {
		return 0, err
	}
	// The text is only for search: it has one block a line, without structure.
	return 1, s.w.AddPage(wacz.Page{URL: r.page.URL, Time: d.Date, Title: v.Title, Text: v.Body, Size: r.page.Bytes})
}

// record returns the page's record from the job's segments, or else from its archive.
func (s *replay) record(r *row) (d warc.Draft, ok bool, err error) {
	if p := r.place(); r.from.Record == nil && p.file != "" && !p.revisit {
		b, err := s.e.archive.read(p)
		if err == nil {
			b, err = uncompressed(b)
		}
		if err == nil {
			d, err = warc.DraftOf(b)
		}
		if err != nil {
			return d, false, fmt.Errorf("%s: %w", r.page.URL, err)
		}
		return d, true, nil
	}
	return r.kept()
}

func (s *replay) close() error { return s.w.Close() }

func (s *replay) abort() error { return s.w.Abort(nil) }

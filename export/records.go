package export

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/warc"
)

// records writes WARC files. For WARC a page is the record of its answer, as the job's
// archive has it, or where that has none a resource record of the bytes that are kept. For
// WET it is a conversion record of its text (ISO 28500, sections 6.4 and 6.8).
type records struct {
	out    *counter
	w      *warc.Writer
	packed bool
	e      *Exporter
}

func newRecords(w *counter, e *Exporter) (*records, error) {
	packed := e.o.Path != "" && filepath.Ext(e.o.Path) != ".warc" && filepath.Ext(e.o.Path) != ".wet"
	s := &records{out: w, w: warc.NewWriter(w, packed, 0), packed: packed, e: e}
	about := fmt.Sprintf("software: %s\r\nformat: WARC File Format 1.1\r\n", e.o.Software)
	if e.o.Format == WET {
		about += "description: the texts of pages, without what their sites repeat\r\n"
	}
	_, _, err := s.w.Write(warc.Draft{Type: warc.Info, Date: time.Now(), Kind: "application/warc-fields", Content: []byte(about)})
	return s, err
}

func (s *records) write(r *row) (int64, error) {
	if s.e.o.Format == WET {
		return s.conversion(r)
	}
	if p := r.place(); p.file != "" && !p.revisit {
		return s.copied(r, p)
	}
	b := r.from.Body
	if b == nil {
		s.e.tally.Bare++
		return 0, nil
	}
	_, _, err := s.w.Write(warc.Draft{Type: warc.Resource, URL: r.page.URL, Date: r.page.Fetched, Kind: r.contentType(), Content: b})
	return 1, err
}

// copied writes a record of the archive as it stands there.
func (s *records) copied(r *row, p place) (int64, error) {
	b, err := s.e.archive.read(p)
	if err == nil && !s.packed {
		b, err = uncompressed(b)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", r.page.URL, err)
	}
	_, err = s.out.Write(b)
	return 1, err
}

func (s *records) conversion(r *row) (int64, error) {
	text, err := r.text(true)
	if err != nil {
		return 0, err
	}
	if text == "" {
		s.e.tally.Bare++
		return 0, nil
	}
	d := warc.Draft{Type: warc.Conversion, URL: r.page.URL, Date: r.page.Fetched, Kind: "text/plain; charset=utf-8", Content: []byte(text)}
	if lang := strings.TrimSpace(r.page.Lang); lang != "" {
		d.Fields = append(d.Fields, warc.Field{Name: "WARC-Identified-Content-Language", Value: lang})
	}
	_, _, err = s.w.Write(d)
	return 1, err
}

func (s *records) close() error { return nil }

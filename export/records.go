package export

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/warc"
)

// records writes WARC files. For WARC a page is the record of its response from the job's archive
// or else its segments, or if neither has it a resource record of the kept bytes. For WET it is a
// conversion record of its text (ISO 28500, sections 6.4 and 6.8).
type records struct {
	out *counter
	w   *warc.Writer
	by  warc.Compression
	e   *Exporter
}

func newRecords(w *counter, e *Exporter) (*records, error) {
	by := warc.Gzip
	switch end := filepath.Ext(e.o.Path); {
	case e.o.Path == "" || end == ".warc" || end == ".wet":
		by = ""
	case end == ".zst":
		by = warc.Zstd
	}
	s := &records{out: w, w: warc.NewWriter(w, by, 0), by: by, e: e}
	_, _, err := s.w.Write(warc.InfoDraft(time.Now(), e.about()))
	return s, err
}

// about are the fields of the first record of a file.
func (e *Exporter) about() warc.Fields {
	if e.o.About != nil && e.o.Format != WET {
		return e.o.About
	}
	about := warc.Fields{{Name: "software", Value: e.o.Software}, {Name: "format", Value: "WARC File Format 1.1"}}
	if e.o.Format == WET {
		about = append(about, warc.Field{Name: "description", Value: "the texts of pages, without what their sites repeat"})
	}
	return about
}

func (s *records) write(r *row) (int64, error) {
	if s.e.o.Format == WET {
		return s.conversion(r)
	}
	if p := r.place(); p.file != "" && !p.revisit {
		return s.copied(r, p)
	}
	d, ok, err := r.kept()
	if err != nil {
		return 0, err
	}
	if !ok {
		s.e.tally.Bare++
		return 0, nil
	}
	_, _, err = s.w.Write(d)
	return 1, err
}

// kept returns the record of a page from the job's segments, or a record of the kept bytes; ok is
// false if there is neither.
func (r *row) kept() (d warc.Draft, ok bool, err error) {
	if r.from.Record == nil {
		b := r.from.Body
		return warc.Draft{Type: warc.Resource, URL: r.page.URL, Date: r.page.Fetched, Kind: r.contentType(), Content: b}, b != nil, nil
	}
	if d, err = warc.DraftOf(r.from.Record); err != nil {
		return d, false, fmt.Errorf("%s: %w", r.page.URL, err)
	}
	if d.Type == warc.Conversion { // the page after its scripts ran
		d.Type = warc.Resource
	}
	return d, true, nil
}

// copied writes a record of the archive unchanged, or compressed in another way.
func (s *records) copied(r *row, p place) (int64, error) {
	b, err := s.e.archive.read(p)
	if err == nil && compressionOf(p.file) != s.by {
		b, err = uncompressed(b)
		if err == nil && s.by != "" {
			return s.repacked(r, b)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", r.page.URL, err)
	}
	_, err = s.out.Write(b)
	return 1, err
}

// repacked writes a record in another compression than it was read in.
func (s *records) repacked(r *row, b []byte) (int64, error) {
	d, err := warc.DraftOf(b)
	if err == nil {
		_, _, err = s.w.Write(d)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", r.page.URL, err)
	}
	return 1, nil
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

package corpus

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/scratch"
	"gatecrawl.example/gatecrawl/warc"
)

// A pendingFile keeps on disk the pages that were read and wait for their site's template.
// It has no name and is gone with the process.
type pendingFile struct {
	f *os.File
	w *bufio.Writer
}

// A pendingHead is what stands of a page before its packed view.
type pendingHead struct {
	Record    page.Record
	Argument  string
	File      string
	Line      int
	Place     *warc.Place
	Fetched   time.Time
	Status    int
	Location  string
	Type      string
	Truncated bool
	Digest    dedup.Digest
	Known     *page.Earlier
	Same      dedup.DocID
	Payload   string
	View      int // bytes that follow; 0: none
	Body      int // and then
}

func newPendingFile() (*pendingFile, error) {
	f, err := scratch.Create("", "crawl-dedup-*")
	if err != nil {
		return nil, err
	}
	return &pendingFile{f: f, w: bufio.NewWriterSize(f, 1<<16)}, nil
}

func (s *pendingFile) close() error { return scratch.Close(s.f) }

func (s *pendingFile) add(p *readPage) error {
	var view []byte
	if p.view != nil {
		view = page.PackView(p.view)
	}
	head, err := json.Marshal(pendingHead{
		Record: p.record, Argument: p.Argument, File: p.File, Line: p.Line, Place: p.Place, Fetched: p.Fetched, Status: p.Status,
		Location: p.Location, Type: p.Type, Truncated: p.Truncated, Digest: p.digest, Known: p.known, Same: p.same, Payload: p.Payload, View: len(view), Body: len(p.Body),
	})
	if err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	_, err = s.w.Write(binary.AppendUvarint(nil, uint64(len(head))))
	if err == nil {
		_, err = s.w.Write(head)
	}
	if err == nil {
		_, err = s.w.Write(view)
	}
	if err == nil {
		_, err = s.w.Write(p.Body)
	}
	if err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	return nil
}

// all yields what was added, in order.
func (s *pendingFile) all(yield func(readPage, error) bool) {
	err := s.w.Flush()
	if err == nil {
		_, err = s.f.Seek(0, io.SeekStart)
	}
	if err != nil {
		yield(readPage{}, fmt.Errorf("temporary file: %w", err))
		return
	}
	r := bufio.NewReaderSize(s.f, 1<<16)
	for {
		p, err := s.next(r)
		if err == io.EOF {
			return
		}
		if err != nil {
			yield(readPage{}, fmt.Errorf("temporary file: %w", err))
			return
		}
		if !yield(p, nil) {
			return
		}
	}
}

var errTornPage = errors.New("a page in it is cut short")

// next reads a page; io.EOF says that there are no more.
func (s *pendingFile) next(r *bufio.Reader) (readPage, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return readPage{}, err
	}
	head := make([]byte, n)
	if _, err := io.ReadFull(r, head); err != nil {
		return readPage{}, errors.Join(errTornPage, err)
	}
	var h pendingHead
	if err := json.Unmarshal(head, &h); err != nil {
		return readPage{}, err
	}
	p := readPage{record: h.Record, digest: h.Digest, known: h.Known, same: h.Same, Page: Page{
		URL: h.Record.URL, Argument: h.Argument, File: h.File, Line: h.Line, Place: h.Place, Fetched: h.Fetched, Status: h.Status,
		Location: h.Location, Type: h.Type, Truncated: h.Truncated, Payload: h.Payload,
	}}
	if h.View > 0 {
		p.packed = make([]byte, h.View)
		if _, err := io.ReadFull(r, p.packed); err != nil {
			return readPage{}, errors.Join(errTornPage, err)
		}
		if p.view, err = page.UnpackView(p.packed); err != nil {
			return p, err
		}
	}
	if h.Body > 0 {
		p.Body = make([]byte, h.Body)
		if _, err := io.ReadFull(r, p.Body); err != nil {
			return readPage{}, errors.Join(errTornPage, err)
		}
	}
	return p, nil
}

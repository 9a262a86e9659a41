package corpus

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/scratch"
	"gatecrawl.example/gatecrawl/store/kv/row"
	"gatecrawl.example/gatecrawl/warc"
)

// A pendingFile keeps on disk the pages that were read, until the templates of their sites are
// known. It has no name, so it is gone when the process ends.
type pendingFile struct {
	f    *os.File
	w    *bufio.Writer
	head []byte // of the page that was added last
}

// appendHead appends the fields of a page that precede its packed view and its body. Of the record
// it has the fields that read sets.
func appendHead(b []byte, p *readPage, view int) ([]byte, error) {
	e, rec := row.Encoder{B: b}, &p.record
	for _, text := range []string{p.URL, p.Argument, p.File, p.Location, p.Type, p.Payload, rec.Type, rec.TextError, rec.Title, rec.Lang, rec.PageType, rec.Charset} {
		e.Text(text)
	}
	e.Int(int64(p.Line))
	e.Int(int64(p.Status))
	e.Int(rec.Bytes)
	e.Int(int64(rec.Links))
	e.Bool(p.Truncated)
	e.Bytes(p.digest[:])
	e.Bytes(p.BodyDigest[:])
	e.Uint(uint64(p.same))
	e.Uint(p.kind)
	e.Bool(p.repeat)
	fetched, err := p.Fetched.MarshalBinary() // in its zone, to the nanosecond
	if err != nil {
		return nil, err
	}
	e.Text(string(fetched))
	if e.Bool(p.Place != nil); p.Place != nil {
		e.Int(p.Place.Offset)
		e.Int(p.Place.Inside)
	}
	known := []byte(nil)
	if p.known != nil {
		if known, err = json.Marshal(p.known); err != nil {
			return nil, err
		}
	}
	e.Text(string(known))
	e.Uint(uint64(view))
	e.Uint(uint64(len(p.Body)))
	return e.B, nil
}

// readHead decodes what appendHead has written. It returns the lengths of the view and the body
// that follow.
func readHead(b []byte) (p readPage, view, body int, err error) {
	d, rec := row.Decoder{B: b}, &p.record
	for _, text := range []*string{&p.URL, &p.Argument, &p.File, &p.Location, &p.Type, &p.Payload, &rec.Type, &rec.TextError, &rec.Title, &rec.Lang, &rec.PageType, &rec.Charset} {
		*text = d.Text()
	}
	p.Line = int(d.Int())
	p.Status = int(d.Int())
	rec.Bytes = d.Int()
	rec.Links = int(d.Int())
	p.Truncated = d.Bool()
	copy(p.digest[:], d.Bytes(len(p.digest)))
	copy(p.BodyDigest[:], d.Bytes(len(p.BodyDigest)))
	p.same = dedup.DocID(d.Uint())
	p.kind = d.Uint()
	p.repeat = d.Bool()
	fetched := d.Text()
	if d.Bool() {
		p.Place = &warc.Place{Offset: d.Int(), Inside: d.Int()}
	}
	known := d.Text()
	view, body = int(d.Uint()), int(d.Uint())
	if d.Err != nil {
		return p, 0, 0, d.Err
	}
	if err := p.Fetched.UnmarshalBinary([]byte(fetched)); err != nil {
		return p, 0, 0, err
	}
	if known != "" {
		p.known = new(page.Earlier)
		if err := json.Unmarshal([]byte(known), p.known); err != nil {
			return p, 0, 0, err
		}
	}
	rec.URL, rec.Status, rec.Fetched, rec.Truncated = p.URL, p.Status, p.Fetched, p.Truncated
	if !p.digest.IsZero() {
		rec.Digest = p.digest.String()
	}
	return p, view, body, nil
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
	head, err := appendHead(s.head[:0], p, len(view))
	if err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	s.head = head
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

// all yields the pages that were added, in their order.
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
	p, view, body, err := readHead(head)
	if err != nil {
		return readPage{}, err
	}
	if view > 0 {
		p.packed = make([]byte, view)
		if _, err := io.ReadFull(r, p.packed); err != nil {
			return readPage{}, errors.Join(errTornPage, err)
		}
		if p.view, err = page.UnpackView(p.packed); err != nil {
			return p, err
		}
	}
	if body > 0 {
		p.Body = make([]byte, body)
		if _, err := io.ReadFull(r, p.Body); err != nil {
			return readPage{}, errors.Join(errTornPage, err)
		}
	}
	return p, nil
}

package corpus

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/scratch"
)

// A spool keeps on disk what is needed of each page after it was judged: URL, signature and
// verdict, and the text of a kept page, to compare it with later pages. It takes 8 bytes of memory
// a page. Its file has no name, so it is gone when the process ends. It is used from one goroutine.
type spool struct {
	f       *os.File
	w       *bufio.Writer
	written int64   // bytes, including those in w
	flushed int64   // bytes that are in the file
	places  []int64 // of the page with number i+1
	read    []byte  // buffer for an entry
	sites   *sites
}

// A spoolEntry is the fixed part of a page's entry.
type spoolEntry struct {
	Of         dedup.DocID
	Level      dedup.Level
	Class      dedup.Class
	Distance   uint8
	Similarity float64
	Sign       dedup.Signature
	Title      [2]uint32 // mirror.Document's Title and Shape
	URLBytes   uint32    // then the URL follows,
	SiteBytes  uint32    // then its site, and a kept page's view, packed
}

var spoolEntryBytes = binary.Size(spoolEntry{})

func newSpool(s *sites) (*spool, error) {
	f, err := scratch.Create("", "crawl-dedup-*")
	if err != nil {
		return nil, err
	}
	return &spool{f: f, w: bufio.NewWriterSize(f, 1<<16), sites: s}, nil
}

func (s *spool) close() error { return scratch.Close(s.f) }

// next returns the number of the page that is added next, from 1.
func (s *spool) next() dedup.DocID { return dedup.DocID(len(s.places) + 1) }

// add adds a page.
func (s *spool) add(url, site, title string, sig dedup.Signature, view []byte, v dedup.Verdict) error {
	if uint64(len(s.places)) >= 1<<32-2 {
		return errors.New("more pages than a gate can number: 4,294,967,294")
	}
	var titled mirror.Document
	titled.MarkTitle(title)
	b, err := binary.Append(nil, binary.LittleEndian, spoolEntry{
		dedup.DocID(v.Of), v.Level, v.Class, uint8(v.Distance), v.Similarity, sig,
		[2]uint32{titled.Title, titled.Shape}, uint32(len(url)), uint32(len(site)),
	})
	if err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	b = append(append(b, url...), site...)
	if !v.Copy() {
		b = append(b, view...)
	}
	if _, err := s.w.Write(b); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	s.places = append(s.places, s.written)
	s.written += int64(len(b))
	return nil
}

// namedBytes is how much of an entry is read at once: the fixed part and most URLs.
const namedBytes = 512

// page returns the fixed part and the URL of a page.
func (s *spool) page(n dedup.DocID) (spoolEntry, string, error) {
	p, rest, err := s.entry(n, namedBytes)
	if err == nil && int(p.URLBytes) > len(rest) {
		p, rest, err = s.entry(n, math.MaxInt)
	}
	if err != nil {
		return p, "", err
	}
	return p, string(rest[:p.URLBytes]), nil
}

// entry returns the fixed part of an entry and the bytes that follow it, at most `most` bytes in
// all. They are valid until the next call.
func (s *spool) entry(n dedup.DocID, most int) (spoolEntry, []byte, error) {
	var p spoolEntry
	if n == 0 || int(n) > len(s.places) {
		return p, nil, fmt.Errorf("page %d is not among the %d that were read", n, len(s.places))
	}
	at, end := s.places[n-1], s.written
	if int(n) < len(s.places) {
		end = s.places[n]
	}
	if end > s.flushed {
		if err := s.w.Flush(); err != nil {
			return p, nil, fmt.Errorf("temporary file: %w", err)
		}
		s.flushed = s.written
	}
	size := int(min(end-at, int64(most)))
	s.read = slices.Grow(s.read[:0], size)
	b := s.read[:size]
	if _, err := s.f.ReadAt(b, at); err != nil && err != io.EOF {
		return p, nil, fmt.Errorf("temporary file: %w", err)
	}
	if _, err := binary.Decode(b, binary.LittleEndian, &p); err != nil {
		return p, nil, fmt.Errorf("temporary file: %w", err)
	}
	return p, b[spoolEntryBytes:], nil
}

// verdict returns the gate's verdict on the page.
func (p *spoolEntry) verdict() dedup.Verdict {
	return dedup.Verdict{Of: dedup.Ref(p.Of), Level: p.Level, Class: p.Class, Distance: int(p.Distance), Similarity: p.Similarity}
}

// Text implements dedup.Texts.
func (s *spool) Text(doc dedup.DocID) (dedup.Text, bool, error) {
	p, rest, err := s.entry(doc, math.MaxInt)
	if err != nil {
		return dedup.Text{}, false, err
	}
	url, site, packed := rest[:p.URLBytes], rest[p.URLBytes:][:p.SiteBytes], rest[p.URLBytes+p.SiteBytes:]
	if len(packed) == 0 {
		return dedup.Text{}, false, nil
	}
	view, err := page.UnpackView(packed)
	if err != nil {
		return dedup.Text{}, false, err
	}
	return s.sites.text(string(site), string(url), view), true, nil
}

// Signature implements dedup.Signatures.
func (s *spool) Signature(doc dedup.DocID) (dedup.Signature, error) {
	p, _, err := s.page(doc)
	return p.Sign, err
}

var (
	_ dedup.Signatures = (*spool)(nil)
	_ dedup.Texts      = (*spool)(nil)
)

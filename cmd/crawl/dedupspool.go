package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"gatecrawl"
	"gatecrawl/dedup"
)

// A spool keeps on disk what a batch must remember of each page: address,
// signature and verdict. In memory it takes 8 bytes a page. Its file has no name
// and is gone with the process. It is used from one goroutine.
//
// Of a kept page the text is here too, for the gate to read in doubt.
type spool struct {
	f       *os.File
	w       *bufio.Writer
	written int64   // bytes, those in w too
	flushed int64   // bytes that are in the file
	places  []int64 // of the page with number i+1
}

// filed is a page in a spool: the fixed part of its entry, before the address.
type filed struct {
	Of         dedup.DocID
	Level      dedup.Level
	Class      dedup.Class
	Distance   uint8
	Similarity float64
	Sign       dedup.Signature
	URLBytes   uint32 // then the address follows, and a kept page's text, packed
}

var filedBytes = binary.Size(filed{})

func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "crawl-dedup-*")
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	os.Remove(f.Name()) // where open files cannot be removed, close does it
	return &spool{f: f, w: bufio.NewWriterSize(f, 1<<16)}, nil
}

func (s *spool) close() error {
	err := s.f.Close()
	if fault := os.Remove(s.f.Name()); fault != nil && !errors.Is(fault, os.ErrNotExist) {
		err = errors.Join(err, fault)
	}
	return err
}

// next is the number of the page that is added next, from 1.
func (s *spool) next() dedup.DocID { return dedup.DocID(len(s.places) + 1) }

// add remembers a page.
func (s *spool) add(url string, sig dedup.Signature, text dedup.Text, v dedup.Verdict) error {
	if uint64(len(s.places)) >= 1<<32-2 {
		return errors.New("more pages than a gate can number: 4,294,967,294")
	}
	b, err := binary.Append(nil, binary.LittleEndian, filed{
		v.Of, v.Level, v.Class, uint8(v.Distance), v.Similarity, sig, uint32(len(url)),
	})
	if err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	b = append(b, url...)
	if !v.Copy() && text.Body != "" {
		b = append(b, gatecrawl.PackText(text)...)
	}
	if _, err := s.w.Write(b); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	s.places = append(s.places, s.written)
	s.written += int64(len(b))
	return nil
}

// page returns what was added.
func (s *spool) page(n dedup.DocID) (filed, string, error) {
	p, rest, err := s.entry(n)
	if err != nil {
		return p, "", err
	}
	return p, string(rest[:p.URLBytes]), nil
}

// entry returns the fixed part of an entry and what follows it.
func (s *spool) entry(n dedup.DocID) (filed, []byte, error) {
	var p filed
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
	b := make([]byte, end-at)
	if _, err := s.f.ReadAt(b, at); err != nil && err != io.EOF {
		return p, nil, fmt.Errorf("temporary file: %w", err)
	}
	if _, err := binary.Decode(b, binary.LittleEndian, &p); err != nil {
		return p, nil, fmt.Errorf("temporary file: %w", err)
	}
	return p, b[filedBytes:], nil
}

// Text is dedup.Texts'.
func (s *spool) Text(doc dedup.DocID) (dedup.Text, bool, error) {
	p, rest, err := s.entry(doc)
	if err != nil || len(rest) == int(p.URLBytes) {
		return dedup.Text{}, false, err
	}
	t, err := gatecrawl.UnpackText(rest[p.URLBytes:])
	return t, err == nil, err
}

// verdict is what the gate said of the page.
func (p *filed) verdict() dedup.Verdict {
	return dedup.Verdict{Of: p.Of, Level: p.Level, Class: p.Class, Distance: int(p.Distance), Similarity: p.Similarity}
}

// Signature is dedup.Signatures'.
func (s *spool) Signature(doc dedup.DocID) (dedup.Signature, error) {
	p, _, err := s.page(doc)
	return p.Sign, err
}

var (
	_ dedup.Signatures = (*spool)(nil)
	_ dedup.Texts      = (*spool)(nil)
)

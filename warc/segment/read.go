package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/durable"
)

// A DamageError says that a segment is damaged.
type DamageError struct {
	File   string // the segment's name, or its number if there is none
	Offset int64  // of the record; -1: more than one record is damaged
	Lost   bool   // the file, or the part of it, does not exist any more
	Err    error

	// If a dictionary is damaged: the segment's number and the id of the dictionary, for Restore.
	Segment, Dict uint32
}

func (e *DamageError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s, offset %d: %v", e.File, e.Offset, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }

// Name returns the name of a segment in the folder; "" if it does not exist.
func (s *Segments) Name(n uint32) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[n]
}

// handle returns a segment's file.
func (s *Segments) handle(n uint32) (file, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.handles[n]; f != nil {
		return f, nil
	}
	name, ok := s.names[n]
	if !ok {
		return nil, &DamageError{File: fmt.Sprintf("segment %d", n), Offset: -1, Lost: true, Err: errors.New("the file is not there")}
	}
	f, err := s.fs.open(filepath.Join(s.dir, name), !s.readOnly)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &DamageError{File: name, Offset: -1, Lost: true, Err: errors.New("the file is not there")}
	}
	if err != nil {
		return nil, err
	}
	s.handles[n] = f
	return f, nil
}

// raw reads a record as it is in its segment, and checks its checksum. It may use the memory of
// room.
func (s *Segments) raw(p Place, room []byte) ([]byte, error) {
	b := slices.Grow(room[:0], int(p.Length))[:p.Length]
	s.mu.Lock()
	at := p.Offset - s.written
	buffered := p.File == s.open && at >= 0 && at+int64(p.Length) <= int64(len(s.buffer))
	if buffered {
		copy(b, s.buffer[at:])
	}
	s.mu.Unlock()
	if !buffered {
		f, err := s.handle(p.File)
		if err != nil {
			return nil, err
		}
		switch _, err := f.ReadAt(b, p.Offset); {
		case errors.Is(err, io.EOF):
			return nil, s.damage(p, true, "the file ends before the record does")
		case err != nil:
			return nil, err
		}
	}
	if durable.Sum(b) != p.Sum {
		return nil, s.damage(p, false, "the record is altered")
	}
	return b, nil
}

func (s *Segments) damage(p Place, lost bool, format string, args ...any) error {
	return &DamageError{File: s.Name(p.File), Offset: p.Offset, Lost: lost, Err: fmt.Errorf(format, args...)}
}

// Verify returns a *DamageError if a record is damaged.
func (s *Segments) Verify(p Place) error {
	room := bufferPool.Get().(*buffers)
	defer room.release()
	var err error
	room.packed, err = s.raw(p, room.packed)
	return err
}

// Read returns a record, decompressed: named fields, content, and the two line ends that follow. It
// may use the memory of dst.
func (s *Segments) Read(p Place, dst []byte) ([]byte, error) {
	room := bufferPool.Get().(*buffers)
	defer room.release()
	b, err := s.raw(p, room.packed)
	if err != nil {
		return nil, err
	}
	room.packed = b
	plain, err := s.unpack(p, b, dst)
	if err == nil && len(plain) != int(p.Plain) {
		err = fmt.Errorf("it has %d bytes without compression, and %d were written", len(plain), p.Plain)
	}
	if err != nil {
		return nil, s.damage(p, false, "%w", err)
	}
	return plain, nil
}

func isGzip(b []byte) bool { return bytes.HasPrefix(b, []byte{0x1f, 0x8b}) }

func (s *Segments) unpack(p Place, b, dst []byte) ([]byte, error) {
	to := slices.Grow(dst[:0], int(p.Plain)+32) // the decoder wants a little more than it writes
	if isGzip(b) {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		room := bytes.NewBuffer(to)
		_, err = io.Copy(room, io.LimitReader(z, int64(p.Plain)+1))
		return room.Bytes(), err
	}
	var h zstd.Header
	if err := h.Decode(b); err != nil {
		return nil, err
	}
	d, err := s.dictionary(p.File, h.DictionaryID)
	if err != nil {
		return nil, err
	}
	return d.dec.DecodeAll(b, to)
}

// Payload returns the body of the HTTP message in a record that Read has returned, or the content
// if the record has no HTTP message.
func Payload(record []byte) ([]byte, error) {
	head, content, ok := bytes.Cut(record, []byte("\r\n\r\n"))
	content, ended := bytes.CutSuffix(content, []byte("\r\n\r\n"))
	if !ok || !ended {
		return nil, errors.New("it is not a WARC record")
	}
	if !bytes.Contains(head, []byte("\r\nContent-Type: application/http")) {
		return content, nil
	}
	_, body, ok := bytes.Cut(content, []byte("\r\n\r\n"))
	if !ok {
		return nil, errors.New("its HTTP message has no end of its head")
	}
	return body, nil
}

// Payload reads the payload of a record.
func (s *Segments) Payload(p Place) ([]byte, error) {
	record, err := s.Read(p, nil)
	if err != nil {
		return nil, err
	}
	b, err := Payload(record)
	if err != nil {
		return nil, s.damage(p, false, "%w", err)
	}
	return b, nil
}

// dictionary returns the coders for the dictionary with this id. If the caller has no copy of it,
// it is read from the segment.
func (s *Segments) dictionary(n, id uint32) (*dictionary, error) {
	s.mu.Lock()
	d, known := s.dicts[id], s.known[id]
	s.mu.Unlock()
	if d != nil {
		return d, nil
	}
	if known == nil {
		var err error
		if known, err = s.firstFrame(n); err != nil {
			return nil, err
		}
	}
	made, err := newDictionary(known)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := s.dicts[id]; d != nil {
		made.close()
		return d, nil
	}
	s.dicts[id] = made
	return made, nil
}

// dictOf returns the dictionary that a segment starts with, or s.none.
func (s *Segments) dictOf(n uint32) (*dictionary, error) {
	b, err := s.firstFrame(n)
	if errors.Is(err, errNoDictionary) {
		return s.none, nil
	}
	if err != nil {
		return nil, err
	}
	i, err := zstd.InspectDictionary(b)
	if err != nil {
		return nil, err
	}
	return s.dictionary(n, i.ID())
}

var errNoDictionary = errors.New("the file does not start with a dictionary")

// firstFrame reads the dictionary that a segment starts with.
func (s *Segments) firstFrame(n uint32) ([]byte, error) {
	f, err := s.handle(n)
	if err != nil {
		return nil, err
	}
	head := make([]byte, 8)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, errNoDictionary // an empty file
	}
	if binary.LittleEndian.Uint32(head) != dictMagic {
		return nil, errNoDictionary
	}
	size := binary.LittleEndian.Uint32(head[4:])
	if size > maxDict {
		return nil, fmt.Errorf("the dictionary has %d bytes; the limit is %d", size, maxDict)
	}
	b := make([]byte, size)
	if _, err := f.ReadAt(b, 8); err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	return b, nil
}

// maxDict bounds a dictionary, in bytes.
const maxDict = 16 << 20

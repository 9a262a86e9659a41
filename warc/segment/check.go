package segment

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// Check reports what is wrong with the files as a whole; for single records there is Verify. It
// finds segments that end before the end or are lost, and those whose dictionary is not the one
// that the caller has. using has for each segment the id of the dictionary with which its records
// were compressed, see UsedBy.
func (s *Segments) Check(end End, using map[uint32]uint32, fn func(*DamageError) error) error {
	if end.Size > 0 {
		switch i, err := os.Stat(filepath.Join(s.dir, s.Name(end.File))); {
		case s.Name(end.File) == "", errors.Is(err, os.ErrNotExist):
			if err := fn(&DamageError{File: fmt.Sprintf("segment %d", end.File), Offset: -1, Lost: true, Err: errors.New("the file is not there")}); err != nil {
				return err
			}
		case err != nil:
			return err
		case i.Size() < end.Size && !(end.File == s.openNumber()):
			err := fn(&DamageError{File: s.Name(end.File), Offset: -1, Lost: true, Err: fmt.Errorf("it ends after %d of %d bytes", i.Size(), end.Size)})
			if err != nil {
				return err
			}
		}
	}
	for n, id := range using {
		if s.Name(n) == "" || s.intact(n, id) {
			continue
		}
		err := fn(&DamageError{File: s.Name(n), Offset: -1, Segment: n, Dict: id, Err: errors.New("its dictionary, the first frame, is altered: other tools cannot read the file")})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Segments) openNumber() uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// intact reports whether a segment starts with the dictionary that the caller has.
func (s *Segments) intact(n, id uint32) bool {
	s.mu.Lock()
	want := s.known[id]
	s.mu.Unlock()
	got, err := s.firstFrame(n)
	return want == nil || err == nil && bytes.Equal(got, want)
}

// UsedBy returns the id of the dictionary with which a record was compressed; 0 for none.
func (s *Segments) UsedBy(p Place) (uint32, error) {
	b, err := s.raw(p, nil)
	if err != nil {
		return 0, err
	}
	var h zstd.Header
	if isGzip(b) || h.Decode(b) != nil {
		return 0, nil
	}
	return h.DictionaryID, nil
}

// Restore writes the dictionary of a segment again, from the caller's copy.
func (s *Segments) Restore(n, id uint32) error {
	if s.readOnly {
		return errReadOnly
	}
	s.mu.Lock()
	b := s.known[id]
	s.mu.Unlock()
	if b == nil {
		return fmt.Errorf("%s: dictionary %d is not kept", s.Name(n), id)
	}
	f, err := s.handle(n)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt((&dictionary{bytes: b}).frame(), 0); err != nil {
		return err
	}
	return f.Sync()
}

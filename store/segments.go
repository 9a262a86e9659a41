package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/warc"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// dirArchive is the folder of the segments, in which the bytes of pages are kept.
const dirArchive = "archive"

// openSegments opens the segments as the last commit knows them.
func (s *Store) openSegments() error {
	dicts := make(map[uint32][]byte)
	err := s.look(func(in snapshot) error {
		for e, err := range kv.Prefix(in, tableMeta, keyDict) {
			if err != nil {
				return err
			}
			if id, dict, ok := dictIn(e); ok { // else the segments have it
				dicts[id] = bytes.Clone(dict) // it outlives the snapshot
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	dir := filepath.Join(s.dir, dirArchive)
	if s.readOnly {
		s.segments, err = segment.OpenReadOnly(dir, dicts)
	} else {
		s.segments, err = segment.Open(dir, s.state.Segments, dicts, s.archive)
	}
	return err
}

// keyDict begins the keys of the dictionaries of segments, before the id. The values have
// the sum of the dictionary before it.
var keyDict = []byte("dictionary ")

// dictIn returns the dictionary in a row; ok is false where it is altered.
func dictIn(e kv.Entry) (id uint32, dict []byte, ok bool) {
	k, v := e.Key[len(keyDict):], e.Value
	if len(k) != 4 || len(v) < 4 || binary.BigEndian.Uint32(v) != durable.Sum(v[4:]) {
		return 0, nil, false
	}
	return binary.BigEndian.Uint32(k), v[4:], true
}

// packEarly packs the bytes of a visit that is likely to be kept, in the goroutine of its
// caller: while the writer waits for the disk others can pack. nil: they are packed if it
// turns out that they are kept.
func (s *Store) packEarly(v *page.Visit) (*segment.Packed, error) {
	if v.Body == nil || v.Sign == nil || s.readOnly || s.discard && v.Checked.Copy() {
		return nil, nil
	}
	return s.segments.Pack(recordOf(v))
}

// recordOf is the WARC record of a page that is kept: the server's answer, or what the
// page's scripts made of it.
func recordOf(v *page.Visit) *segment.Record {
	a := &v.Answer
	at := v.Page.Fetched
	if at.IsZero() {
		at = time.Now()
	}
	d := warc.Draft{Type: warc.Response, URL: v.Page.URL, Date: at, Kind: warc.KindResponse}
	if a.IP != "" {
		d.Fields = append(d.Fields, warc.Field{Name: "WARC-IP-Address", Value: a.IP})
	}
	if a.Truncated {
		d.Fields = append(d.Fields, warc.Field{Name: "WARC-Truncated", Value: "unspecified"})
	}
	if a.Rendered {
		d.Type, d.Kind = warc.Conversion, v.Page.Type
		if v.Page.Charset != "" {
			d.Kind += "; charset=" + v.Page.Charset
		}
		return &segment.Record{Draft: d, Body: v.Body}
	}
	return &segment.Record{Draft: d, Head: warc.AppendResponseHead(nil, v.Page.Status, a.Header, len(v.Body)), Body: v.Body}
}

// keepBytes appends the bytes of a page to the segments, and puts the row that names them.
func (t *txn) keepBytes(seq []byte, p *segment.Packed, v *page.Visit) (err error) {
	if p == nil {
		if p, err = t.s.segments.Pack(recordOf(v)); err != nil {
			return err
		}
	}
	place, err := t.append(p, v.Page.URL)
	if err == nil {
		t.tx.Put(tableBodies, seq, place.Encode())
	}
	return err
}

// append appends a record to the segments, with the dictionary that it is read with.
func (t *txn) append(p *segment.Packed, url string) (segment.Place, error) {
	place, id, dict, err := t.s.segments.Append(p)
	if err != nil {
		return place, fmt.Errorf("keep %s: %w", url, err)
	}
	if dict != nil {
		t.tx.Put(tableMeta, binary.BigEndian.AppendUint32(bytes.Clone(keyDict), id), append(binary.BigEndian.AppendUint32(nil, durable.Sum(dict)), dict...))
	}
	return place, nil
}

// bodyIn returns the bytes of a page, nil where none are kept.
func (s *Store) bodyIn(r kv.Reader, seq uint64) ([]byte, error) {
	place, err := r.Get(tableBodies, seqKey(seq))
	if err != nil || place == nil {
		return nil, err
	}
	b, err := s.bodyAt(place)
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", seq, err)
	}
	return b, nil
}

// recordIn returns the WARC record in which the bytes of a page are, nil where none are kept.
func (s *Store) recordIn(r kv.Reader, seq uint64) ([]byte, error) {
	place, err := r.Get(tableBodies, seqKey(seq))
	if err != nil || place == nil {
		return nil, err
	}
	p, err := segment.DecodePlace(place)
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", seq, err)
	}
	b, err := s.segments.Read(p)
	if errors.As(err, new(*segment.DamageError)) {
		err = s.adviseRepair(err)
	}
	return b, err
}

// placeIn returns where a page's bytes are; "" where none are kept.
func (s *Store) placeIn(r kv.Reader, seq uint64) (file string, offset int64, err error) {
	place, err := r.Get(tableBodies, seqKey(seq))
	if err != nil || place == nil {
		return "", 0, err
	}
	p, err := segment.DecodePlace(place)
	if err != nil {
		return "", 0, fmt.Errorf("page %d: %w", seq, err)
	}
	return s.segments.Name(p.File), p.Offset, nil
}

// bodyAt reads bytes at a place as the table has it.
func (s *Store) bodyAt(place []byte) ([]byte, error) {
	p, err := segment.DecodePlace(place)
	if err != nil {
		return nil, err
	}
	b, err := s.segments.Payload(p)
	if errors.As(err, new(*segment.DamageError)) {
		err = s.adviseRepair(err)
	}
	return b, err
}

// checkSegments looks at every record that a row names, and tells which are not as they
// were written.
func (s *Store) checkSegments(in snapshot, end segment.End, page func(seq uint64, d *segment.DamageError) error, file func(*segment.DamageError) error) error {
	using := make(map[uint32]uint32) // by segment, its dictionary
	err := each(in, tableBodies, func(k, v []byte) error {
		if len(k) != 8 {
			return nil // others tell
		}
		p, err := segment.DecodePlace(v)
		if err != nil {
			return page(seqOf(k), &segment.DamageError{File: "the table of places", Offset: -1, Err: err})
		}
		if using[p.File] != 0 {
			err = s.segments.Verify(p)
		} else {
			var id uint32
			if id, err = s.segments.UsedBy(p); err == nil && id != 0 {
				using[p.File] = id
			}
		}
		if d, ok := errors.AsType[*segment.DamageError](err); ok {
			return page(seqOf(k), d)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.segments.Check(end, using, file)
}

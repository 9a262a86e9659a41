package archive

import (
	"errors"
	"fmt"
	"sync"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/warc/segment"
)

// Body returns the bytes of a page, nil if none are kept.
func (a *Archive) Body(r kv.Reader, seq uint64) ([]byte, error) {
	place, err := r.Get(page.TableBodies, page.Key(seq))
	if err != nil || place == nil {
		return nil, err
	}
	b, err := a.BodyAt(place)
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", seq, err)
	}
	return b, nil
}

// Record returns the WARC record with the bytes of a page, nil if none are kept. It may use the
// memory of dst.
func (a *Archive) Record(r kv.Reader, seq uint64, dst []byte) ([]byte, error) {
	place, err := r.Get(page.TableBodies, page.Key(seq))
	if err != nil || place == nil {
		return nil, err
	}
	b, err := a.RecordAt(place, dst)
	if err != nil {
		return nil, fmt.Errorf("page %d: %w", seq, err)
	}
	return b, nil
}

// BodyOf returns the bytes of a page whose Record the caller has, so that it is not unpacked twice.
func (a *Archive) BodyOf(r kv.Reader, seq uint64, record []byte) ([]byte, error) {
	if b, err := segment.Payload(record); err == nil {
		return b, nil
	}
	return a.Body(r, seq) // it reports the damage
}

// Place returns where a page's bytes are; "" if none are kept.
func (a *Archive) Place(r kv.Reader, seq uint64) (file string, offset int64, err error) {
	place, err := r.Get(page.TableBodies, page.Key(seq))
	if err != nil || place == nil {
		return "", 0, err
	}
	p, err := segment.DecodePlace(place)
	if err != nil {
		return "", 0, fmt.Errorf("page %d: %w", seq, err)
	}
	return a.segments.Name(p.File), p.Offset, nil
}

// BodyAt reads the bytes at an encoded place.
func (a *Archive) BodyAt(place []byte) ([]byte, error) {
	p, err := segment.DecodePlace(place)
	if err != nil {
		return nil, err
	}
	b, err := a.segments.Payload(p)
	if errors.As(err, new(*segment.DamageError)) {
		err = a.Advise(err)
	}
	return b, err
}

// RecordAt returns the WARC record at an encoded place. It may use the memory of dst.
func (a *Archive) RecordAt(place, dst []byte) ([]byte, error) {
	p, err := segment.DecodePlace(place)
	if err != nil {
		return nil, err
	}
	b, err := a.segments.Read(p, dst)
	if errors.As(err, new(*segment.DamageError)) {
		err = a.Advise(err)
	}
	return b, err
}

// Verify checks that the record at an encoded place is intact.
func (a *Archive) Verify(place []byte) error {
	p, err := segment.DecodePlace(place)
	if err != nil {
		return err
	}
	return a.segments.Verify(p)
}

// View returns the view of a page, nil if none is kept.
func (a *Archive) View(r kv.Reader, seq uint64) (*purify.DocView, error) {
	return a.view(r, seq, page.UnpackViewOn)
}

// ViewWith is View with what page.UnpackSomeOn decodes.
func (a *Archive) ViewWith(r kv.Reader, seq uint64, links page.LinkFilter) (*purify.DocView, error) {
	return a.view(r, seq, func(packed []byte, body func() ([]byte, error)) (*purify.DocView, error) {
		return page.UnpackSomeOn(packed, body, links)
	})
}

func (a *Archive) view(r kv.Reader, seq uint64, unpack func(packed []byte, body func() ([]byte, error)) (*purify.DocView, error)) (*purify.DocView, error) {
	packed, err := r.Get(page.TableViews, page.Key(seq))
	if err != nil || packed == nil {
		return nil, err
	}
	room := records.Get().(*[]byte)
	defer records.Put(room)
	v, err := unpack(packed, func() ([]byte, error) {
		record, err := a.Record(r, seq, *room)
		if err != nil || record == nil {
			return nil, err
		}
		if cap(record) <= maxRecord {
			*room = record
		}
		return a.BodyOf(r, seq, record)
	})
	if err != nil {
		return nil, fmt.Errorf("view of page %d: %w", seq, err)
	}
	return v, nil
}

// records is memory in which records are read to unpack views: a view has copies of what it takes
// from its page.
var records = sync.Pool{New: func() any { return new([]byte) }}

// maxRecord is the longest record, in bytes, whose memory is used again.
const maxRecord = 1 << 20

// Check reads every record that a row refers to, and calls damaged for those that are not intact.
func (a *Archive) Check(r kv.Reader, end segment.End, damaged func(seq uint64, d *segment.DamageError) error, file func(*segment.DamageError) error) error {
	using := make(map[uint32]uint32) // dictionary of each segment
	err := kv.Each(r, page.TableBodies, func(k, v []byte) error {
		if len(k) != 8 {
			return nil // other checks report it
		}
		p, err := segment.DecodePlace(v)
		if err != nil {
			return damaged(page.Seq(k), &segment.DamageError{File: "the table of places", Offset: -1, Err: err})
		}
		if using[p.File] != 0 {
			err = a.segments.Verify(p)
		} else {
			var id uint32
			if id, err = a.segments.UsedBy(p); err == nil && id != 0 {
				using[p.File] = id
			}
		}
		if d, ok := errors.AsType[*segment.DamageError](err); ok {
			return damaged(page.Seq(k), d)
		}
		return err
	})
	if err != nil {
		return err
	}
	return a.segments.Check(end, using, file)
}

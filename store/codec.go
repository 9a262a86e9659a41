package store

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// errShort says that a record ends before its last field.
var errShort = errors.New("record is cut short")

// An encoder appends the fields of a record: integers as varints, strings and
// bytes behind their length, floats as 4 or 8 bytes.
type encoder struct{ b []byte }

func (e *encoder) uint(v uint64)     { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) int(v int64)       { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) byte(v byte)       { e.b = append(e.b, v) }
func (e *encoder) bytes(v []byte)    { e.b = append(e.b, v...) }
func (e *encoder) float32(v float32) { e.b = binary.BigEndian.AppendUint32(e.b, math.Float32bits(v)) }
func (e *encoder) float64(v float64) { e.b = binary.BigEndian.AppendUint64(e.b, math.Float64bits(v)) }

func (e *encoder) bool(v bool) {
	if v {
		e.b = append(e.b, 1)
		return
	}
	e.b = append(e.b, 0)
}

func (e *encoder) string(v string) {
	e.uint(uint64(len(v)))
	e.b = append(e.b, v...)
}

// tail appends a field that most records lack, and that records written before
// there was such a field lack too. Tags are above 0 and never given anew.
func (e *encoder) tail(tag byte, v string) {
	if v != "" {
		e.byte(tag)
		e.string(v)
	}
}

// time keeps microseconds; the zero time is 0.
func (e *encoder) time(t time.Time) {
	if t.IsZero() {
		e.int(0)
		return
	}
	e.int(t.UnixMicro())
}

// A decoder reads the fields of a record in the order they were appended. The
// first fault is kept in err, and all later fields are zero. Its strings are
// copies, so they outlive the transaction.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail() {
	d.b = nil
	if d.err == nil {
		d.err = errShort
	}
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.fail()
		return nil
	}
	v := d.b[:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) byte() byte {
	if v := d.take(1); v != nil {
		return v[0]
	}
	return 0
}

func (d *decoder) bool() bool { return d.byte() != 0 }

func (d *decoder) uint32() uint32 {
	if v := d.take(4); v != nil {
		return binary.BigEndian.Uint32(v)
	}
	return 0
}

func (d *decoder) float32() float32 {
	if v := d.take(4); v != nil {
		return math.Float32frombits(binary.BigEndian.Uint32(v))
	}
	return 0
}

func (d *decoder) float64() float64 {
	if v := d.take(8); v != nil {
		return math.Float64frombits(binary.BigEndian.Uint64(v))
	}
	return 0
}

func (d *decoder) string() string {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.fail()
		return ""
	}
	return string(d.take(int(n)))
}

func (d *decoder) time() time.Time {
	us := d.int()
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// tails reads the fields that tail appended, up to the record's end, and hands
// each to take. Take passes over tags that it does not know: a newer version
// wrote them.
func (d *decoder) tails(take func(tag byte, v string)) {
	for d.err == nil && len(d.b) > 0 {
		tag := d.byte()
		if v := d.string(); d.err == nil {
			take(tag, v)
		}
	}
}

// Package row writes and reads the fields of a row's value, for the owners of tables.
//
// A value is a list of fields without names: an Encoder appends them, and a Decoder reads
// them in the same order. What most rows lack, and what was added after rows were
// written, goes to the end as tails, each behind a tag. The package knows no table: what
// the fields mean, and which forms of a row are readable, is their owner's business.
package row

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// ErrShort says that a row ends before its last field.
var ErrShort = errors.New("record is cut short")

// An Encoder appends the fields of a row: integers as varints, strings behind their
// length, floats as 4 or 8 bytes.
type Encoder struct {
	B []byte // what was appended
}

// Uint appends an integer that is not negative.
func (e *Encoder) Uint(v uint64) { e.B = binary.AppendUvarint(e.B, v) }

// Int appends an integer.
func (e *Encoder) Int(v int64) { e.B = binary.AppendVarint(e.B, v) }

// Byte appends one byte.
func (e *Encoder) Byte(v byte) { e.B = append(e.B, v) }

// Bytes appends bytes without their length: the reader has to know it.
func (e *Encoder) Bytes(v []byte) { e.B = append(e.B, v...) }

// Uint32 appends 4 bytes, the highest first.
func (e *Encoder) Uint32(v uint32) { e.B = binary.BigEndian.AppendUint32(e.B, v) }

// Uint64 appends 8 bytes, the highest first.
func (e *Encoder) Uint64(v uint64) { e.B = binary.BigEndian.AppendUint64(e.B, v) }

// Float32 appends 4 bytes.
func (e *Encoder) Float32(v float32) { e.Uint32(math.Float32bits(v)) }

// Float64 appends 8 bytes.
func (e *Encoder) Float64(v float64) { e.Uint64(math.Float64bits(v)) }

// Bool appends one byte.
func (e *Encoder) Bool(v bool) {
	if v {
		e.B = append(e.B, 1)
		return
	}
	e.B = append(e.B, 0)
}

// Text appends a string behind its length.
func (e *Encoder) Text(v string) {
	e.Uint(uint64(len(v)))
	e.B = append(e.B, v...)
}

// Texts appends strings behind their number.
func (e *Encoder) Texts(list []string) {
	e.Uint(uint64(len(list)))
	for _, s := range list {
		e.Text(s)
	}
}

// Time appends a time to the microsecond; the zero time is 0.
func (e *Encoder) Time(t time.Time) {
	if t.IsZero() {
		e.Int(0)
		return
	}
	e.Int(t.UnixMicro())
}

// Tail appends a field that most rows lack, and that rows written before the field existed lack
// too; "" appends nothing. Tags are above 0 and never reused for another field. Tails come
// last.
func (e *Encoder) Tail(tag byte, v string) {
	if v != "" {
		e.Byte(tag)
		e.Text(v)
	}
}

// A Decoder reads the fields of a row in the order in which they were appended. Its
// strings are copies, so they outlive the transaction.
type Decoder struct {
	B   []byte // what is left to read
	Err error  // the first fault; all fields after it are zero

	shared string // a copy of what was in B when Share was called, of which strings are parts
}

// Share copies the rest of the row at once, and the strings that follow are parts of that copy: it is for a row most of
// whose strings are wanted. As long as one of them is used, the copy takes memory.
func (d *Decoder) Share() { d.shared = string(d.B) }

func (d *Decoder) fail() {
	d.B = nil
	if d.Err == nil {
		d.Err = ErrShort
	}
}

// Uint reads what Encoder.Uint appended.
func (d *Decoder) Uint() uint64 {
	v, n := binary.Uvarint(d.B)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.B = d.B[n:]
	return v
}

// Int reads what Encoder.Int appended.
func (d *Decoder) Int() int64 {
	v, n := binary.Varint(d.B)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.B = d.B[n:]
	return v
}

// Bytes reads n bytes, which are part of B; nil if there are fewer.
func (d *Decoder) Bytes(n int) []byte {
	if n < 0 || n > len(d.B) {
		d.fail()
		return nil
	}
	v := d.B[:n]
	d.B = d.B[n:]
	return v
}

// Byte reads one byte.
func (d *Decoder) Byte() byte {
	if v := d.Bytes(1); v != nil {
		return v[0]
	}
	return 0
}

// Bool reads what Encoder.Bool appended.
func (d *Decoder) Bool() bool { return d.Byte() != 0 }

// Uint32 reads what Encoder.Uint32 appended.
func (d *Decoder) Uint32() uint32 {
	if v := d.Bytes(4); v != nil {
		return binary.BigEndian.Uint32(v)
	}
	return 0
}

// Uint64 reads what Encoder.Uint64 appended.
func (d *Decoder) Uint64() uint64 {
	if v := d.Bytes(8); v != nil {
		return binary.BigEndian.Uint64(v)
	}
	return 0
}

// Float32 reads what Encoder.Float32 appended.
func (d *Decoder) Float32() float32 { return math.Float32frombits(d.Uint32()) }

// Float64 reads what Encoder.Float64 appended.
func (d *Decoder) Float64() float64 { return math.Float64frombits(d.Uint64()) }

// Text reads what Encoder.Text appended.
func (d *Decoder) Text() string {
	n := d.Uint()
	if n > uint64(len(d.B)) {
		d.fail()
		return ""
	}
	if at := len(d.shared) - len(d.B); d.shared != "" {
		d.B = d.B[n:]
		return d.shared[at : at+int(n)]
	}
	return string(d.Bytes(int(n)))
}

// Raw is Text without the copy: it is good as long as the row is.
func (d *Decoder) Raw() []byte {
	n := d.Uint()
	if n > uint64(len(d.B)) {
		d.fail()
		return nil
	}
	return d.Bytes(int(n))
}

// Count reads how many parts follow, each of one byte or more: a number that cannot be
// is a fault, so that nothing is allocated by it.
func (d *Decoder) Count() int {
	n := d.Uint()
	if n > uint64(len(d.B)) {
		d.fail()
		return 0
	}
	return int(n)
}

// Texts reads what Encoder.Texts appended; nil if there are none.
func (d *Decoder) Texts() []string {
	n := d.Count()
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = d.Text()
	}
	return list
}

// Time reads what Encoder.Time appended.
func (d *Decoder) Time() time.Time {
	us := d.Int()
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// Tails reads the fields that Encoder.Tail appended, up to the row's end, and hands each
// to take. Take passes over tags that it does not know: a newer version wrote them.
func (d *Decoder) Tails(take func(tag byte, v string)) {
	for d.Err == nil && len(d.B) > 0 {
		tag := d.Byte()
		if v := d.Text(); d.Err == nil {
			take(tag, v)
		}
	}
}

package row_test

import (
	"reflect"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/store/kv/row"
)

// fields are one of each kind.
type fields struct {
	Uint    uint64
	Int     int64
	Byte    byte
	Bytes   string
	Uint32  uint32
	Uint64  uint64
	Float32 float32
	Float64 float64
	Bool    bool
	Text    string
	Texts   []string
	Time    time.Time
	Tail    string
}

func (f fields) encode() []byte {
	var e row.Encoder
	e.Uint(f.Uint)
	e.Int(f.Int)
	e.Byte(f.Byte)
	e.Bytes([]byte(f.Bytes))
	e.Uint32(f.Uint32)
	e.Uint64(f.Uint64)
	e.Float32(f.Float32)
	e.Float64(f.Float64)
	e.Bool(f.Bool)
	e.Text(f.Text)
	e.Texts(f.Texts)
	e.Time(f.Time)
	e.Tail(7, f.Tail)
	return e.B
}

func decode(b []byte, bytes int) (f fields, err error) {
	d := row.Decoder{B: b}
	f = fields{
		Uint: d.Uint(), Int: d.Int(), Byte: d.Byte(), Bytes: string(d.Bytes(bytes)), Uint32: d.Uint32(), Uint64: d.Uint64(),
		Float32: d.Float32(), Float64: d.Float64(),
		Bool: d.Bool(), Text: d.Text(), Texts: d.Texts(), Time: d.Time(),
	}
	d.Tails(func(tag byte, v string) {
		if tag == 7 {
			f.Tail = v
		}
	})
	return f, d.Err
}

var samples = []fields{
	{},
	{
		Uint: 1 << 60, Int: -300, Byte: 9, Bytes: "raw", Uint32: 1 << 31, Uint64: 1 << 63,
		Float32: 1.5, Float64: -2.25, Bool: true, Text: "a b",
		Texts: []string{"", "x"}, Time: time.UnixMicro(1_700_000_000_000_001).UTC(), Tail: "late",
	},
}

func TestFieldsAreReadAsTheyWereWritten(t *testing.T) {
	for _, want := range samples {
		got, err := decode(want.encode(), len(want.Bytes))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("read %+v, %v; want %+v", got, err, want)
		}
	}
}

func TestEveryRowThatIsCutShortIsAFault(t *testing.T) {
	want := samples[1]
	want.Tail = "" // where a tail starts a row may end
	whole := want.encode()
	for n := range whole {
		if _, err := decode(whole[:n], len(want.Bytes)); err != row.ErrShort {
			t.Errorf("%d of %d bytes: %v, want ErrShort", n, len(whole), err)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	for _, s := range samples {
		f.Add(s.encode())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decode(b, 3)
		if err != nil {
			return
		}
		if again, err := decode(got.encode(), 3); err != nil || got.Float32 == got.Float32 && got.Float64 == got.Float64 && !reflect.DeepEqual(again, got) {
			t.Errorf("read %+v, and written and read again %+v, %v", got, again, err)
		}
	})
}

func TestSharedStringsAreThoseOfARowAndOutliveIt(t *testing.T) {
	f := fields{
		Uint: 300, Bytes: "ab", Text: "text", Texts: []string{"one", "", "three"}, Time: time.UnixMicro(5).UTC(), Tail: "tail",
	}
	b := f.encode()
	d := row.Decoder{B: b}
	d.Uint() // what comes before is not copied
	d.Share()
	d.Int()
	d.Byte()
	d.Bytes(2)
	d.Uint32()
	d.Uint64()
	d.Float32()
	d.Float64()
	d.Bool()
	got := fields{Uint: 300, Bytes: "ab", Text: d.Text(), Texts: d.Texts(), Time: d.Time()}
	d.Tails(func(_ byte, v string) { got.Tail = v })
	clear(b)
	if d.Err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("read %+v, %v; want %+v", got, d.Err, f)
	}
	short := row.Decoder{B: []byte{5, 'a'}}
	short.Share()
	if v := short.Text(); v != "" || short.Err == nil {
		t.Errorf("Text() of a row that ends early = %q, %v; want an error", v, short.Err)
	}
}

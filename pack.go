package gatecrawl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/klauspost/compress/s2"

	"gatecrawl/dedup"
	"gatecrawl/purify"
)

// maxUnpacked bounds what a packed value may claim to hold.
const maxUnpacked = 1 << 30

// PackBody returns the bytes of a page in the form in which they are kept: one
// S2 block, which costs a tenth of a good compressor and gives two thirds of
// its gain.
func PackBody(b []byte) []byte {
	room := packRooms.Get().(*[]byte)
	defer packRooms.Put(room)
	packed := s2.Encode(*room, b)
	if cap(packed) <= maxPackRoom {
		*room = packed[:cap(packed)]
	}
	return bytes.Clone(packed)
}

// packRooms are where values are packed. A block is found to be some third of the
// room that it might have needed, and is kept until its commit: it gets a place of
// its own size.
var packRooms = sync.Pool{New: func() any { return new([]byte) }}

// maxPackRoom is the size in bytes of a room that is used again.
const maxPackRoom = 1 << 20

// unpackedLen is how many bytes a packed value says that it holds, as far as that may
// be; UnpackBody tells what is wrong with it.
func unpackedLen(b []byte) int64 {
	n, err := s2.DecodedLen(b)
	if err != nil || n > maxUnpacked {
		return 0
	}
	return int64(n)
}

// UnpackBody undoes PackBody.
func UnpackBody(b []byte) ([]byte, error) {
	n, err := s2.DecodedLen(b)
	if err != nil {
		return nil, fmt.Errorf("packed value: %w", err)
	}
	if n > maxUnpacked {
		return nil, fmt.Errorf("packed value: claims %d bytes, and no page is that long", n)
	}
	body, err := s2.Decode(nil, b)
	if err != nil {
		return nil, fmt.Errorf("packed value: %w", err)
	}
	return body, nil
}

// UnpackText reads of a packed DocView what the gate compares.
func UnpackText(b []byte) (dedup.Text, error) {
	j, err := UnpackBody(b)
	if err != nil {
		return dedup.Text{}, err
	}
	var v packedText
	if err := json.Unmarshal(j, &v); err != nil {
		return dedup.Text{}, fmt.Errorf("packed view: %w", err)
	}
	return dedup.TextOf(&purify.DocView{Title: v.Title, Body: v.Body, Layout: v.Layout}), nil
}

// A packedText is what of a packed DocView decides its text.
type packedText struct {
	Title  string `json:"title"`
	Body   string `json:"body"`
	Layout uint64 `json:"layout"`
}

// PackText returns a text in the form that UnpackText reads.
func PackText(t dedup.Text) []byte {
	b, err := json.Marshal(packedText{t.Title, t.Body, 1}) // with a layout, a title is one
	if err != nil {
		panic("two strings and a number are JSON: " + err.Error())
	}
	return PackBody(b)
}

// PackView returns a DocView in the form in which it is kept: JSON in an S2 block.
func PackView(v *purify.DocView) ([]byte, error) {
	j := viewRooms.Get().(*bytes.Buffer)
	defer viewRooms.Put(j)
	j.Reset()
	if err := json.NewEncoder(j).Encode(v); err != nil {
		return nil, fmt.Errorf("pack view of %s: %w", v.URL, err)
	}
	packed := PackBody(bytes.TrimSuffix(j.Bytes(), []byte("\n"))) // as json.Marshal has it
	if j.Cap() > maxPackRoom {
		*j = bytes.Buffer{}
	}
	return packed, nil
}

// viewRooms are where views are written before they are packed.
var viewRooms = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// UnpackView undoes PackView.
func UnpackView(b []byte) (*purify.DocView, error) {
	j, err := UnpackBody(b)
	if err != nil {
		return nil, err
	}
	v := new(purify.DocView)
	if err := json.Unmarshal(j, v); err != nil {
		return nil, fmt.Errorf("packed view: %w", err)
	}
	return v, nil
}

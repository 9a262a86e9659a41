package page

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/klauspost/compress/s2"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
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

// UnpackedLen is how many bytes a packed value says that it holds, as far as that may
// be; UnpackBody tells what is wrong with it.
func UnpackedLen(b []byte) int64 {
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

// UnpackText reads of a packed DocView what the gate compares. Where templates are
// given it is without what they have, else without what the template had with which
// the page was read.
func UnpackText(b []byte, templates ...*purify.Template) (dedup.Text, error) {
	view, err := UnpackView(b)
	if err != nil {
		return dedup.Text{}, err
	}
	return dedup.TextOf(view, templates...), nil
}

// A packedView is a DocView with its blocks in few words: their texts a line each,
// a letter for each one's marks, and their names.
type packedView struct {
	*purify.DocView
	Lines  string `json:"lines,omitempty"`
	Marks  string `json:"marks,omitempty"`
	Prints []byte `json:"prints,omitempty"`

	Leads []byte `json:"leads,omitempty"` // Targets, 4 bytes each
}

// The marks of a block, added to markBase.
const (
	markBase = '@'

	markChosen = 1
	markLinked = 2
	markProse  = 4
	markShared = 8
	markPinned = 16
)

const printBytes = 5

func packBlocks(v *purify.DocView) packedView {
	p := packedView{DocView: v}
	for _, sum := range v.Targets {
		p.Leads = binary.BigEndian.AppendUint32(p.Leads, sum)
	}
	if len(v.Blocks) == 0 {
		return p
	}
	n := 0
	for i := range v.Blocks {
		n += len(v.Blocks[i].Text) + 1
	}
	var lines strings.Builder
	lines.Grow(n)
	marks := make([]byte, len(v.Blocks))
	p.Prints = make([]byte, 0, printBytes*len(v.Blocks))
	for i := range v.Blocks {
		b := &v.Blocks[i]
		if i > 0 {
			lines.WriteByte('\n')
		}
		lines.WriteString(b.Text)
		m := byte(markBase)
		for _, is := range [...]struct {
			so   bool
			mark byte
		}{{b.Chosen, markChosen}, {b.Linked, markLinked}, {b.Prose, markProse}, {b.Shared, markShared}, {b.Pinned, markPinned}} {
			if is.so {
				m += is.mark
			}
		}
		marks[i] = m
		p.Prints = append(p.Prints, byte(b.Print>>32), byte(b.Print>>24), byte(b.Print>>16), byte(b.Print>>8), byte(b.Print))
	}
	p.Lines, p.Marks = lines.String(), string(marks)
	return p
}

// unpackBlocks undoes packBlocks.
func (p *packedView) unpackBlocks() error {
	for b := p.Leads; len(b) >= 4; b = b[4:] {
		p.Targets = append(p.Targets, binary.BigEndian.Uint32(b))
	}
	if p.Marks == "" {
		return nil
	}
	if len(p.Prints) != printBytes*len(p.Marks) {
		return fmt.Errorf("packed view: %d blocks have %d bytes of names", len(p.Marks), len(p.Prints))
	}
	p.Blocks = make([]purify.Block, len(p.Marks))
	rest := p.Lines
	for i := range p.Blocks {
		b := &p.Blocks[i]
		b.Text, rest, _ = strings.Cut(rest, "\n")
		m := p.Marks[i] - markBase
		b.Chosen, b.Linked, b.Prose = m&markChosen != 0, m&markLinked != 0, m&markProse != 0
		b.Shared, b.Pinned = m&markShared != 0, m&markPinned != 0
		for _, c := range p.Prints[printBytes*i : printBytes*(i+1)] {
			b.Print = b.Print<<8 | purify.Print(c)
		}
	}
	return nil
}

// PackView returns a DocView in the form in which it is kept: JSON in an S2 block.
func PackView(v *purify.DocView) ([]byte, error) {
	j := viewRooms.Get().(*bytes.Buffer)
	defer viewRooms.Put(j)
	j.Reset()
	if err := json.NewEncoder(j).Encode(packBlocks(v)); err != nil {
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
	p := packedView{DocView: new(purify.DocView)}
	if err := json.Unmarshal(j, &p); err != nil {
		return nil, fmt.Errorf("packed view: %w", err)
	}
	return p.DocView, p.unpackBlocks()
}

package page

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/klauspost/compress/s2"

	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// A packed view is its form, and then what viewForm describes: as it is, in a block of S2,
// or in a block of S2 whose dictionary is the page's bytes. Nearly all words of a view
// stand on its page, so the last takes less than half of the second.
const (
	viewPlain   = 1
	viewAlone   = 2
	viewOnBytes = 3
)

// viewForm is the version of the form of a view: the numbers of all its fields one after
// the other, with the lengths of its texts, and then the texts one after the other. A
// program reads the forms up to its own.
const viewForm = 1

// maxUnpacked bounds what a packed value may claim to hold.
const maxUnpacked = 1 << 30

// errBytes is what reading a view that was packed on its page's bytes comes to without them.
var errBytes = errors.New("packed view: it is read with the bytes of its page")

// PackView returns a DocView in the form in which it is kept where the page's bytes are
// not.
func PackView(v *purify.DocView) []byte { return PackViewOn(v, nil) }

// PackViewOn returns a DocView in the form in which it is kept beside its page's bytes:
// UnpackViewOn wants the same.
func PackViewOn(v *purify.DocView, page []byte) []byte {
	room := viewRooms.Get().(*viewRoom)
	defer func() {
		if cap(room.plain) <= maxRoom && cap(room.packed) <= maxRoom {
			viewRooms.Put(room)
		}
	}()
	room.write(v)
	form, dict := byte(viewAlone), dictOf(page)
	if dict != nil {
		form = viewOnBytes
	}
	if n := 1 + s2.MaxEncodedLen(len(room.plain)); cap(room.packed) < n {
		room.packed = make([]byte, n)
	}
	room.packed = room.packed[:cap(room.packed)]
	room.packed[0] = form
	var block []byte
	if dict != nil {
		block = dict.Encode(room.packed[1:], room.plain)
	} else {
		block = s2.Encode(room.packed[1:], room.plain)
	}
	return append(append(make([]byte, 0, 1+len(block)), form), block...)
}

// dictOf makes a dictionary of the first bytes of a page; nil: they are too few.
func dictOf(page []byte) *s2.Dict { return s2.MakeDict(page[:min(len(page), s2.MaxDictSize)], nil) }

// viewRooms are where views are written and packed.
var viewRooms = sync.Pool{New: func() any { return new(viewRoom) }}

// maxRoom is the size in bytes of a room that is used again.
const maxRoom = 1 << 20

type viewRoom struct {
	numbers       row.Encoder
	texts         []byte
	plain, packed []byte
	of            []int // by block: the line of the body that it is, from 1
}

// text writes a string: its length among the numbers, and itself among the texts.
func (w *viewRoom) text(s string) {
	w.numbers.Uint(uint64(len(s)))
	w.texts = append(w.texts, s...)
}

func (w *viewRoom) list(list []string) {
	w.numbers.Uint(uint64(len(list)))
	for _, s := range list {
		w.text(s)
	}
}

// The marks of a block.
const (
	markChosen = 1 << iota
	markLinked
	markProse
	markShared
	markPinned
	markBody // the next line of the body is the block
)

// The marks of a link.
const (
	linkBody = 1 << iota
	linkNoFollow
)

// The marks of a view.
const (
	viewNoScript = 1 << iota
	viewFromBlocks
	viewUnsummed
)

// printBytes is how many bytes a purify.Print has.
const printBytes = 5

// write writes a view without packing it: what UnpackBrief reads comes first.
func (w *viewRoom) write(v *purify.DocView) {
	w.numbers.B, w.texts = w.numbers.B[:0], w.texts[:0]
	fromBlocks := w.bodyOf(v)
	marks := byte(0)
	if v.NoScript {
		marks |= viewNoScript
	}
	if fromBlocks {
		marks |= viewFromBlocks
	}
	if v.Unsummed {
		marks |= viewUnsummed
	}
	e := &w.numbers
	e.Byte(marks)
	for _, s := range []string{v.ID, v.URL, v.Type, v.Role, v.Title, v.Abstract, v.Date, v.Author, v.Lang, v.Canonical, v.Base, v.Refresh, v.Robots, v.Charset} {
		w.text(s)
	}
	w.list(v.Category)
	e.Uint(uint64(len(v.Keywords)))
	for _, k := range v.Keywords {
		w.text(k.Word)
		e.Float64(k.Weight)
	}
	e.Uint(uint64(v.MoreLinks))
	e.Uint64(v.Layout)
	e.Uint(uint64(v.Template))
	e.Uint(uint64(v.Dropped))
	e.Uint(uint64(len(v.Fields)))
	for i := range v.Fields {
		e.Bool(v.Fields[i].List)
		w.text(v.Fields[i].Name)
		w.list(v.Fields[i].Values)
	}
	w.list(v.FieldsCut)
	if !fromBlocks {
		w.text(v.Body)
	}
	e.Uint(uint64(len(v.Blocks)))
	for i := range v.Blocks {
		b := &v.Blocks[i]
		w.text(b.Text)
		m := byte(0)
		for _, is := range [...]struct {
			so   bool
			mark byte
		}{
			{b.Chosen, markChosen}, {b.Linked, markLinked}, {b.Prose, markProse}, {b.Shared, markShared},
			{b.Pinned, markPinned}, {fromBlocks && w.of[i] > 0, markBody},
		} {
			if is.so {
				m |= is.mark
			}
		}
		e.Byte(m)
	}
	for i := range v.Blocks {
		p := v.Blocks[i].Print
		e.Bytes([]byte{byte(p >> 32), byte(p >> 24), byte(p >> 16), byte(p >> 8), byte(p)})
	}
	w.links(v)
	w.plain = append(w.plain[:0], viewForm)
	w.plain = binary.AppendUvarint(w.plain, uint64(len(e.B)))
	w.plain = append(append(w.plain, e.B...), w.texts...)
}

func (w *viewRoom) links(v *purify.DocView) {
	e := &w.numbers
	e.Uint(uint64(len(v.Links)))
	context := ""
	for i := range v.Links {
		l := &v.Links[i]
		m := byte(0)
		if l.Body {
			m |= linkBody
		}
		if l.NoFollow {
			m |= linkNoFollow
		}
		if l.Context == context { // links of one block have one
			m |= linkSameContext
		}
		e.Byte(m)
		w.text(l.URL)
		w.text(l.Text)
		if l.Context != context {
			w.text(l.Context)
			context = l.Context
		}
	}
	e.Uint(uint64(len(v.Targets)))
	for _, sum := range v.Targets {
		e.Uint32(sum)
	}
}

// linkSameContext is the mark of a link whose context is that of the one before.
const linkSameContext = 1 << 2

// bodyOf reports whether the lines of the body are blocks, one after the other, and notes
// which.
func (w *viewRoom) bodyOf(v *purify.DocView) bool {
	if v.Body == "" || len(v.Blocks) == 0 {
		return false
	}
	w.of = append(w.of[:0], make([]int, len(v.Blocks))...)
	rest, line, more := v.Body, 0, true
	for i := range v.Blocks {
		if !more {
			break
		}
		text := v.Blocks[i].Text
		if !v.Blocks[i].Chosen || !strings.HasPrefix(rest, text) || len(rest) > len(text) && rest[len(text)] != '\n' {
			continue
		}
		line++
		w.of[i] = line
		if more = len(rest) > len(text); more {
			rest = rest[len(text)+1:]
		}
	}
	return !more
}

// UnpackView undoes PackView.
func UnpackView(b []byte) (*purify.DocView, error) {
	return UnpackViewOn(b, func() ([]byte, error) { return nil, errBytes })
}

// UnpackViewOn undoes PackViewOn. It asks for the page's bytes if the view was packed on
// them.
func UnpackViewOn(b []byte, page func() ([]byte, error)) (*purify.DocView, error) {
	return unpackView(b, page, false)
}

// UnpackBrief undoes PackView but for Links, Blocks and Targets.
func UnpackBrief(b []byte) (*purify.DocView, error) {
	return unpackView(b, func() ([]byte, error) { return nil, errBytes }, true)
}

// AloneView returns a packed view in a form that UnpackView reads, where the page's bytes
// are at hand.
func AloneView(b, page []byte) ([]byte, error) {
	if !IsOnBytes(b) {
		return b, nil
	}
	plain, err := plainView(b, func() ([]byte, error) { return page, nil })
	if err != nil {
		return nil, err
	}
	return append([]byte{viewPlain}, plain...), nil
}

// IsOnBytes reports whether a packed view is read with its page's bytes.
func IsOnBytes(b []byte) bool { return len(b) > 0 && b[0] == viewOnBytes }

// plainView undoes the packing of a view.
func plainView(b []byte, page func() ([]byte, error)) ([]byte, error) {
	if len(b) == 0 {
		return nil, errors.New("packed view: it is empty")
	}
	form, block := b[0], b[1:]
	if form == viewPlain {
		return block, nil
	}
	n, err := s2.DecodedLen(block)
	switch {
	case err != nil:
		return nil, fmt.Errorf("packed view: %w", err)
	case n > maxUnpacked:
		return nil, fmt.Errorf("packed view: claims %d bytes, and no page is that long", n)
	}
	switch form {
	case viewAlone:
		block, err = s2.Decode(nil, block)
	case viewOnBytes:
		bytes, fault := page()
		if fault != nil {
			return nil, fault
		}
		dict := dictOf(bytes)
		if dict == nil {
			return nil, errBytes
		}
		block, err = dict.Decode(nil, block)
	default:
		return nil, fmt.Errorf("packed view of form %d; this version reads %d to %d", form, viewPlain, viewOnBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("packed view: %w", err)
	}
	return block, nil
}

func unpackView(b []byte, page func() ([]byte, error), brief bool) (*purify.DocView, error) {
	plain, err := plainView(b, page)
	if err != nil {
		return nil, err
	}
	if len(plain) == 0 || plain[0] != viewForm {
		return nil, fmt.Errorf("packed view: it is not of form %d, which this version reads", viewForm)
	}
	size, n := binary.Uvarint(plain[1:])
	if n <= 0 || size > uint64(len(plain)-1-n) {
		return nil, errors.New("packed view: it is cut short")
	}
	plain = plain[1+n:]
	r := viewReader{numbers: row.Decoder{B: plain[:size]}, texts: string(plain[size:])}
	v := r.view(brief)
	if r.numbers.Err != nil {
		return nil, fmt.Errorf("packed view: %w", r.numbers.Err)
	}
	return v, nil
}

// A viewReader reads what a viewRoom wrote. Its strings are parts of one.
type viewReader struct {
	numbers row.Decoder
	texts   string
}

func (r *viewReader) text() string {
	n := r.numbers.Uint()
	if n > uint64(len(r.texts)) {
		r.fail("its texts are cut short")
		return ""
	}
	s := r.texts[:n]
	r.texts = r.texts[n:]
	return s
}

func (r *viewReader) fail(why string) {
	if r.numbers.Err == nil {
		r.numbers.Err = errors.New(why)
	}
}

func (r *viewReader) list() []string {
	n := r.numbers.Count()
	if n == 0 {
		return nil
	}
	list := make([]string, 0, n)
	for range n {
		list = append(list, r.text())
	}
	return list
}

func (r *viewReader) view(brief bool) *purify.DocView {
	v, d := new(purify.DocView), &r.numbers
	marks := d.Byte()
	v.NoScript, v.Unsummed = marks&viewNoScript != 0, marks&viewUnsummed != 0
	for _, s := range []*string{&v.ID, &v.URL, &v.Type, &v.Role, &v.Title, &v.Abstract, &v.Date, &v.Author, &v.Lang, &v.Canonical, &v.Base, &v.Refresh, &v.Robots, &v.Charset} {
		*s = r.text()
	}
	v.Title = strings.Clone(v.Title) // it outlives the view, and the texts are one string
	v.Category = r.list()
	for range d.Count() {
		v.Keywords = append(v.Keywords, purify.Keyword{Word: r.text(), Weight: d.Float64()})
	}
	v.MoreLinks, v.Layout = int(d.Uint()), d.Uint64()
	v.Template, v.Dropped = int(d.Uint()), int(d.Uint())
	for range d.Count() {
		v.Fields = append(v.Fields, purify.Field{List: d.Bool(), Name: r.text(), Values: r.list()})
	}
	v.FieldsCut = r.list()
	if marks&viewFromBlocks == 0 {
		if v.Body = strings.Clone(r.text()); brief {
			return v
		}
	}
	r.blocks(v, marks&viewFromBlocks != 0)
	if brief {
		v.Blocks = nil
		return v
	}
	r.links(v)
	return v
}

func (r *viewReader) blocks(v *purify.DocView, body bool) {
	d := &r.numbers
	n := d.Count()
	if n == 0 {
		return
	}
	v.Blocks = make([]purify.Block, n)
	var lines strings.Builder
	first := true
	for i := range v.Blocks {
		b := &v.Blocks[i]
		b.Text = r.text()
		m := d.Byte()
		b.Chosen, b.Linked, b.Prose = m&markChosen != 0, m&markLinked != 0, m&markProse != 0
		b.Shared, b.Pinned = m&markShared != 0, m&markPinned != 0
		if m&markBody != 0 {
			if !first {
				lines.WriteByte('\n')
			}
			first = false
			lines.WriteString(b.Text)
		}
	}
	if body {
		v.Body = lines.String()
	}
	for i := range v.Blocks {
		for _, c := range d.Bytes(printBytes) {
			v.Blocks[i].Print = v.Blocks[i].Print<<8 | purify.Print(c)
		}
	}
}

func (r *viewReader) links(v *purify.DocView) {
	d := &r.numbers
	if n := d.Count(); n > 0 {
		v.Links = make([]purify.Link, n)
	}
	context := ""
	for i := range v.Links {
		l := &v.Links[i]
		m := d.Byte()
		l.Body, l.NoFollow = m&linkBody != 0, m&linkNoFollow != 0
		l.URL, l.Text = r.text(), r.text()
		if m&linkSameContext == 0 {
			context = r.text()
		}
		l.Context = context
	}
	if n := d.Count(); n > 0 {
		v.Targets = make([]uint32, n)
	}
	for i := range v.Targets {
		v.Targets[i] = d.Uint32()
	}
}

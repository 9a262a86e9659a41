package page

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/s2"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// A packed view is a byte for its encoding, and then what viewForm describes: as it is, in a block
// of S2, or with its texts coded as references to the page's bytes (see pageCoder), where nearly
// all of them are.
const (
	viewPlain   = 1
	viewAlone   = 2
	viewOnBytes = 4 // 3, a block of S2 with the page for a dictionary, was of jobs before version 5
)

// viewForm is the version of the form of a view: first the numbers of all its fields with the
// lengths of its texts, then the texts. A program reads the forms up to its own. Form 1 had all
// names of blocks, all targets, and the whole URL of each link; form 2 had no pictures, form 3 no forms of blocks.
const viewForm = 4

// maxUnpacked is the largest size that a packed value may declare.
const maxUnpacked = 1 << 30

// errBytes is the error of unpacking a view without its page's bytes that was packed on them.
var errBytes = errors.New("packed view: it is read with the bytes of its page")

// sparse is how many times as long as its texts and links a page is whose view is packed without
// its bytes. Reading such a view takes a small part of the time of unpacking the page, and the view
// takes some hundredths of its space.
const sparse = 16

func isSparse(v *purify.DocView, page int) bool {
	n := len(v.Body)
	for i := range v.Blocks {
		n += len(v.Blocks[i].Text)
	}
	for i := range v.Links {
		n += len(v.Links[i].URL) + len(v.Links[i].Text)
	}
	return page > sparse*n
}

// PackView encodes a DocView whose page's bytes are not kept. TextError is left out, since the
// page's record has it, and Moved, since such a page is not kept.
func PackView(v *purify.DocView) []byte { return PackViewOn(v, nil) }

// PackViewOn encodes a DocView whose page's bytes are kept: UnpackViewOn needs the same bytes,
// unless the page says so little that the view is packed as by PackView.
func PackViewOn(v *purify.DocView, page []byte) []byte {
	w := viewWriters.Get().(*viewWriter)
	defer w.release()
	if isSparse(v, len(page)) {
		page = nil
	}
	w.write(v, page)
	if len(page) > 0 {
		return w.onBytes()
	}
	w.join()
	if n := 1 + s2.MaxEncodedLen(len(w.plain)); cap(w.packed) < n {
		w.packed = make([]byte, n)
	}
	block := s2.Encode(w.packed[:cap(w.packed)], w.plain)
	return append(append(make([]byte, 0, 1+len(block)), viewAlone), block...)
}

// Repack updates a view that PackViewOn has packed after purify.DocView.Reframe: it rewrites only
// the view's template and the marks of its blocks.
func Repack(packed []byte, v *purify.DocView) []byte {
	if !IsOnBytes(packed) {
		return PackView(v)
	}
	size, n := binary.Uvarint(packed[2:])
	from := 2 + n
	numbers, rest := packed[from:from+int(size)], packed[from+int(size):]
	d := row.Decoder{B: numbers}
	text, list := func() { d.Uint() }, func() {
		for range d.Count() {
			d.Uint()
		}
	}
	d.Byte()
	for range 14 { // texts from ID to Charset
		text()
	}
	list()
	for range d.Count() {
		text()
		d.Float64()
	}
	d.Uint()
	d.Uint64()
	e := row.Encoder{B: make([]byte, 0, len(numbers)+binary.MaxVarintLen64)}
	e.Bytes(numbers[:len(numbers)-len(d.B)])
	e.Uint(uint64(v.Template))
	d.Uint()
	behind := d.B
	d.Uint()
	for range d.Count() {
		d.Bool()
		text()
		list()
	}
	list()
	if numbers[0]&viewFromBlocks == 0 {
		text()
	}
	e.Bytes(behind)
	at := len(e.B) // of the end of what d reads
	for i := range d.Count() {
		text()
		mark := &e.B[at-len(d.B)]
		d.Byte()
		if *mark &^= markShared; v.Blocks[i].Shared {
			*mark |= markShared
		}
	}
	b := make([]byte, 0, 2+binary.MaxVarintLen32+len(e.B)+len(rest))
	b = append(b, packed[:2]...)
	b = binary.AppendUvarint(b, uint64(len(e.B)))
	return append(append(b, e.B...), rest...)
}

// onBytes codes what was written as references to the page's bytes.
func (w *viewWriter) onBytes() []byte {
	c, at := &w.coder, 0
	for _, t := range w.spans {
		s := w.texts[at : at+t.bytes]
		switch {
		case t.kind == textOwn:
			c.ownText(s)
		case t.kind == textOnPage || !c.partOf(w.texts[:at], s):
			c.text(s, t.place)
		}
		at += t.bytes
	}
	b := append(w.packed[:0], viewOnBytes, viewForm)
	b = binary.AppendUvarint(b, uint64(len(w.numbers.B)))
	b = append(b, w.numbers.B...)
	b = binary.AppendUvarint(b, uint64(len(w.texts)))
	b = w.coder.appendTo(b)
	w.packed = b
	return bytes.Clone(b)
}

// viewWriters is memory for writing and packing views.
var viewWriters = sync.Pool{New: func() any { return new(viewWriter) }}

// maxWriter is the largest writer, in bytes, that is used again.
const maxWriter = 1 << 20

type viewWriter struct {
	numbers       row.Encoder
	texts         []byte
	spans         []span // of the texts that are not empty
	plain, packed []byte
	url           []byte
	of            []int    // by block: the line of the body that it is, from 1
	targets       []uint32 // of links whose URL does not give it
	named         []bool   // by block: its name is that of its text
	coder         pageCoder
}

func (w *viewWriter) release() {
	w.coder.page = nil
	if cap(w.plain) <= maxWriter && cap(w.packed) <= maxWriter && cap(w.texts) <= maxWriter {
		viewWriters.Put(w)
	}
}

// text writes a string: its length among the numbers, and the text itself among the texts.
func (w *viewWriter) text(s string) {
	w.textOf(s, textOnPage)
}

func (w *viewWriter) textOf(s string, k textKind) {
	w.numbers.Uint(uint64(len(s)))
	if len(s) > 0 {
		w.texts = append(w.texts, s...)
		w.spans = append(w.spans, span{bytes: len(s), kind: k})
	}
}

// textAt writes a string that is at a place on the page, or behind white space there, as far as is known.
func (w *viewWriter) textAt(s string, place int) {
	if w.text(s); len(s) > 0 {
		w.spans[len(w.spans)-1].place = place
	}
}

// A span is the length of a text, and where it may be found.
type span struct {
	bytes int
	kind  textKind
	place int // 0: it is not known
}

type textKind byte

const (
	textOnPage textKind = iota
	textOwn             // nowhere
	textPart            // in a text before it, as a whole
)

func (w *viewWriter) list(list []string) {
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
	markBody  // the next line of the body is the block
	markNamed // its name is that of its text, and left out
	markCloud

	markHeads = markProse | markCloud // no block is both
)

// The marks of a link.
const (
	linkBody = 1 << iota
	linkNoFollow
	linkSameContext // its context is that of the link before
	linkSameTarget  // its target is that of its URL, and left out
)

// The marks of a view.
const (
	viewNoScript = 1 << iota
	viewFromBlocks
	viewUnsummed
	_ // in views of older versions: names of some blocks were not returned
	viewPictured
	viewFormed
)

// printBytes is how many bytes a purify.Print has.
const printBytes = 5

// write writes a view without packing it, to be packed on a page's bytes if there are any. What
// UnpackBrief reads comes first.
func (w *viewWriter) write(v *purify.DocView, page []byte) {
	w.coder.start(page)
	w.numbers.B, w.texts, w.spans = w.numbers.B[:0], w.texts[:0], w.spans[:0]
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
	if len(v.Pictures) > 0 {
		marks |= viewPictured
	}
	if slices.ContainsFunc(v.Blocks, func(b purify.Block) bool { return b.Form != 0 }) {
		marks |= viewFormed
	}
	e := &w.numbers
	e.Byte(marks)
	for _, s := range []string{v.ID, v.URL, v.Type, v.Role} {
		w.textOf(s, textOwn)
	}
	for _, s := range []string{v.Title, v.Abstract, v.Date, v.Author, v.Lang, v.Canonical, v.Base, v.Refresh, v.Robots, v.Charset} {
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
	w.named = w.named[:0]
	for i := range v.Blocks {
		b := &v.Blocks[i]
		w.named = append(w.named, b.Print == purify.PrintOf(b.Text))
		w.textAt(b.Text, v.Places.Of(i))
		m := byte(0)
		for _, is := range [...]struct {
			so   bool
			mark byte
		}{
			{b.Chosen, markChosen}, {b.Linked, markLinked}, {b.Prose, markProse}, {b.Shared, markShared},
			{b.Pinned, markPinned}, {fromBlocks && w.of[i] > 0, markBody}, {w.named[i], markNamed}, {b.Cloud, markCloud}, {b.Heads, markHeads},
		} {
			if is.so {
				m |= is.mark
			}
		}
		e.Byte(m)
	}
	for i := range v.Blocks {
		p := v.Blocks[i].Print
		if w.named[i] {
			continue
		}
		e.Bytes([]byte{byte(p >> 32), byte(p >> 24), byte(p >> 16), byte(p >> 8), byte(p)})
	}
	if marks&viewFormed != 0 {
		w.forms(v.Blocks)
	}
	w.links(v)
	if len(v.Pictures) > 0 {
		e.Uint(uint64(len(v.Pictures)))
		for _, p := range v.Pictures {
			e.Uint32(p)
		}
	}
}

// forms writes the forms of blocks: those that there are, and then for each run of blocks of one form how many there are and which form
// it is.
func (w *viewWriter) forms(blocks []purify.Block) {
	e := &w.numbers
	known := []purify.Form{0}
	for i := range blocks {
		if f := blocks[i].Form; !slices.Contains(known, f) {
			known = append(known, f)
		}
	}
	e.Uint(uint64(len(known) - 1))
	for _, f := range known[1:] {
		e.Uint32(uint32(f))
	}
	for from, to := 0, 0; from < len(blocks); from = to {
		for to < len(blocks) && blocks[to].Form == blocks[from].Form {
			to++
		}
		e.Uint(uint64(to - from))
		e.Uint(uint64(slices.Index(known, blocks[from].Form)))
	}
}

// join appends the texts to the numbers.
func (w *viewWriter) join() {
	w.plain = append(w.plain[:0], viewForm)
	w.plain = binary.AppendUvarint(w.plain, uint64(len(w.numbers.B)))
	w.plain = append(append(w.plain, w.numbers.B...), w.texts...)
}

func (w *viewWriter) links(v *purify.DocView) {
	e := &w.numbers
	e.Uint(uint64(len(v.Links)))
	each := len(v.Targets) > 0 && len(v.Targets) == len(v.Links) // else they say nothing
	e.Bool(each)
	w.targets = w.targets[:0]
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
		if each && v.Targets[i] == purify.TargetOf(l.URL) {
			m |= linkSameTarget
		} else if each {
			w.targets = append(w.targets, v.Targets[i])
		}
		e.Byte(m)
		shared, kind := w.shared(v.URL, l.URL)
		e.Uint(uint64(shared))
		w.textOf(l.URL[shared:], kind)
		w.text(l.Text)
		if l.Context != context {
			w.textOf(l.Context, textPart)
			context = l.Context
		}
	}
	for _, target := range w.targets {
		e.Uint32(target)
	}
}

// shared returns how many bytes a link's URL shares with that of its page. The rest is on the page,
// as the whole URL, or without the origin or the folder.
func (w *viewWriter) shared(page, link string) (n int, kind textKind) {
	for n < len(page) && n < len(link) && page[n] == link[n] {
		n++
	}
	folder := strings.LastIndexByte(page[:n], '/') + 1
	root := 0
	if scheme := strings.Index(page[:n], "://"); scheme >= 0 {
		if slash := strings.IndexByte(page[scheme+3:n], '/'); slash >= 0 {
			root = scheme + 3 + slash
		}
	}
	w.url = append(w.url[:0], link...)
	for _, at := range [...]int{root, folder, min(root+1, n), 0} {
		if w.coder.hasPrefix(w.url[at:]) {
			return at, textOnPage
		}
	}
	return folder, textOwn
}

// bodyOf reports whether the lines of the body are blocks, in order, and records which.
func (w *viewWriter) bodyOf(v *purify.DocView) bool {
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

// UnpackView decodes what PackView wrote.
func UnpackView(b []byte) (*purify.DocView, error) {
	return UnpackViewOn(b, func() ([]byte, error) { return nil, errBytes })
}

// UnpackViewOn decodes what PackViewOn wrote. It calls page for the page's bytes if the view was
// packed on them.
func UnpackViewOn(b []byte, page func() ([]byte, error)) (*purify.DocView, error) {
	return unpackView(b, page, whole)
}

// A LinkFilter says by what comes before the links of a view which of them are decoded: those that the function returns true
// for, which it returns; nil: none. The URL is as the page writes it, and good until the next call.
type LinkFilter func(v *purify.DocView) func(url []byte, text string) bool

// UnpackSomeOn is UnpackViewOn without Targets, Pictures and the contexts of links, with only some links, and without the body of a
// page with mark-up if the blocks have it.
func UnpackSomeOn(b []byte, page func() ([]byte, error), links LinkFilter) (*purify.DocView, error) {
	return unpackView(b, page, reading{links: links})
}

// A reading says what of a view is decoded.
type reading struct {
	brief bool       // what comes before the blocks, and the body
	links LinkFilter // see UnpackSomeOn; nil: all
}

var whole reading

// UnpackBrief is UnpackView without Links, Blocks, Targets and Pictures.
func UnpackBrief(b []byte) (*purify.DocView, error) {
	return UnpackBriefOn(b, func() ([]byte, error) { return nil, errBytes })
}

// UnpackBriefOn is UnpackViewOn without Links, Blocks, Targets and Pictures.
func UnpackBriefOn(b []byte, page func() ([]byte, error)) (*purify.DocView, error) {
	return unpackView(b, page, reading{brief: true})
}

// AloneView converts a packed view so that UnpackView reads it; the page's bytes are given.
func AloneView(b, page []byte) ([]byte, error) {
	if !IsOnBytes(b) {
		return b, nil
	}
	v, err := UnpackViewOn(b, func() ([]byte, error) { return page, nil })
	if err != nil {
		return nil, err
	}
	w := viewWriters.Get().(*viewWriter)
	defer w.release()
	w.write(v, nil)
	w.join()
	return append([]byte{viewPlain}, w.plain...), nil
}

// IsOnBytes reports whether a packed view needs its page's bytes.
func IsOnBytes(b []byte) bool { return len(b) > 0 && b[0] == viewOnBytes }

// plainView undoes the packing of a view that is not on a page.
func plainView(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, errors.New("packed view: it is empty")
	}
	form, block := b[0], b[1:]
	switch form {
	case viewPlain:
		return block, nil
	case viewAlone:
	default:
		return nil, fmt.Errorf("packed view of form %d; this version reads %d, %d and %d", form, viewPlain, viewAlone, viewOnBytes)
	}
	n, err := s2.DecodedLen(block)
	if err == nil && n > maxUnpacked {
		return nil, fmt.Errorf("packed view: claims %d bytes, and no page is that long", n)
	}
	if err == nil {
		block, err = s2.Decode(nil, block)
	}
	if err != nil {
		return nil, fmt.Errorf("packed view: %w", err)
	}
	return block, nil
}

func unpackView(b []byte, page func() ([]byte, error), as reading) (*purify.DocView, error) {
	var plain, bytes []byte
	var err error
	onBytes := IsOnBytes(b)
	if onBytes {
		plain = b[1:]
		bytes, err = page()
	} else {
		plain, err = plainView(b)
	}
	if err != nil {
		return nil, err
	}
	if len(plain) == 0 || plain[0] < 1 || plain[0] > viewForm {
		return nil, fmt.Errorf("packed view: it is not of form 1 to %d, which this version reads", viewForm)
	}
	form := plain[0]
	size, n := binary.Uvarint(plain[1:])
	if n <= 0 || size > uint64(len(plain)-1-n) {
		return nil, errors.New("packed view: it is cut short")
	}
	plain = plain[1+n:]
	r := viewReader{form: form, numbers: row.Decoder{B: plain[:size]}}
	if texts := plain[size:]; onBytes {
		all, n := binary.Uvarint(texts)
		if n <= 0 || all > maxUnpacked {
			return nil, errors.New("packed view: it is cut short")
		}
		if r.coded, err = newPageDecoder(texts[n:], bytes, int(min(all, 4*uint64(len(bytes)+len(b))))); err != nil {
			return nil, fmt.Errorf("packed view: %w", err)
		}
	} else {
		r.texts = string(texts)
	}
	v := r.view(as)
	if r.numbers.Err != nil {
		return nil, fmt.Errorf("packed view: %w", r.numbers.Err)
	}
	return v, nil
}

// A viewReader reads what a viewWriter wrote. Its strings are parts of one.
type viewReader struct {
	form    byte
	numbers row.Decoder
	texts   string
	coded   *pageDecoder // of the texts of a view on its page; nil: they are texts
}

func (r *viewReader) text() string {
	n := r.numbers.Uint()
	if r.coded != nil {
		s, ok := r.coded.text(n)
		if !ok {
			r.fail(errPieces.Error())
		}
		return s
	}
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

func (r *viewReader) view(as reading) *purify.DocView {
	v, d := new(purify.DocView), &r.numbers
	marks := d.Byte()
	v.NoScript, v.Unsummed = marks&viewNoScript != 0, marks&viewUnsummed != 0
	for _, s := range []*string{&v.ID, &v.URL, &v.Type, &v.Role, &v.Title, &v.Abstract, &v.Date, &v.Author, &v.Lang, &v.Canonical, &v.Base, &v.Refresh, &v.Robots, &v.Charset} {
		*s = r.text()
	}
	v.Title = strings.Clone(v.Title) // the title outlives the view, and all texts are one string
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
		if v.Body = strings.Clone(r.text()); as.brief {
			return v
		}
	}
	if as.brief {
		v.Body = r.linesOf()
		return v
	}
	r.blocks(v, marks&viewFromBlocks != 0 && (as.links == nil || v.Layout == 0 || v.Layout == purify.FeedLayout))
	if marks&viewFormed != 0 {
		r.forms(v.Blocks)
	}
	if as.links != nil {
		if keep := as.links(v); keep != nil {
			r.someLinks(v, keep)
		}
		return v
	}
	r.links(v)
	if marks&viewPictured != 0 {
		v.Pictures = make([]uint32, d.Count())
		for i := range v.Pictures {
			v.Pictures[i] = d.Uint32()
		}
	}
	return v
}

// linesOf returns a body that consists of blocks, without decoding the blocks.
func (r *viewReader) linesOf() string {
	var lines []string
	for range r.numbers.Count() {
		text := r.text()
		if r.numbers.Byte()&markBody != 0 {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

func (r *viewReader) blocks(v *purify.DocView, body bool) {
	d := &r.numbers
	n := d.Count()
	if n == 0 {
		return
	}
	v.Blocks = make([]purify.Block, n)
	named := make([]bool, n)
	var lines strings.Builder
	first := true
	for i := range v.Blocks {
		b := &v.Blocks[i]
		b.Text = r.text()
		m := d.Byte()
		b.Chosen, b.Linked, b.Heads = m&markChosen != 0, m&markLinked != 0, m&markHeads == markHeads
		b.Cloud, b.Prose = m&markHeads == markCloud, m&markHeads == markProse
		b.Shared, b.Pinned, named[i] = m&markShared != 0, m&markPinned != 0, m&markNamed != 0
		if body && m&markBody != 0 {
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
		if named[i] {
			v.Blocks[i].Print = purify.PrintOf(v.Blocks[i].Text)
			continue
		}
		for _, c := range d.Bytes(printBytes) {
			v.Blocks[i].Print = v.Blocks[i].Print<<8 | purify.Print(c)
		}
	}
}

// forms reads what viewWriter.forms wrote.
func (r *viewReader) forms(blocks []purify.Block) {
	d := &r.numbers
	known := make([]purify.Form, d.Count()+1)
	for i := range known[1:] {
		known[i+1] = purify.Form(d.Uint32())
	}
	for len(blocks) > 0 && d.Err == nil {
		n, of := d.Uint(), d.Uint()
		if n == 0 || n > uint64(len(blocks)) || of >= uint64(len(known)) {
			r.fail("the forms of its blocks are not those of as many blocks")
			return
		}
		for i := range blocks[:n] {
			blocks[i].Form = known[of]
		}
		blocks = blocks[n:]
	}
}

func (r *viewReader) links(v *purify.DocView) {
	d := &r.numbers
	if n := d.Count(); n > 0 {
		v.Links = make([]purify.Link, n)
	}
	each := r.form > 1 && d.Bool()
	same := make([]bool, len(v.Links))
	context := ""
	for i := range v.Links {
		l := &v.Links[i]
		m := d.Byte()
		l.Body, l.NoFollow, same[i] = m&linkBody != 0, m&linkNoFollow != 0, m&linkSameTarget != 0
		l.URL, l.Text = r.linkURL(v.URL), r.text()
		if m&linkSameContext == 0 {
			context = r.text()
		}
		l.Context = context
	}
	if each {
		v.Targets = make([]uint32, len(v.Links))
	} else if r.form == 1 {
		v.Targets = make([]uint32, d.Count())
	}
	for i := range v.Targets {
		if each && same[i] {
			v.Targets[i] = purify.TargetOf(v.Links[i].URL)
		} else {
			v.Targets[i] = d.Uint32()
		}
	}
}

// someLinks is links for those that keep returns true for.
func (r *viewReader) someLinks(v *purify.DocView, keep func(url []byte, text string) bool) {
	d := &r.numbers
	n := d.Count()
	if r.form > 1 {
		d.Bool()
	}
	var url []byte
	for range n {
		m := d.Byte()
		before, end := r.urlOf(v.URL)
		url = append(append(url[:0], before...), end...)
		text := r.text()
		if keep(url, text) {
			v.Links = append(v.Links, purify.Link{URL: string(url), Text: text, Body: m&linkBody != 0, NoFollow: m&linkNoFollow != 0})
		}
		if m&linkSameContext == 0 {
			r.text()
		}
	}
}

// linkURL reads the URL of a link, which may start like that of its page.
func (r *viewReader) linkURL(page string) string {
	before, end := r.urlOf(page)
	return before + end
}

// urlOf reads the URL of a link in two parts, of which the first is that of its page.
func (r *viewReader) urlOf(page string) (before, end string) {
	if r.form == 1 {
		return "", r.text()
	}
	shared := r.numbers.Uint()
	if shared > uint64(len(page)) {
		r.fail("a link starts with more than its page's URL")
		return "", ""
	}
	return page[:shared], r.text()
}

// UnpackText reads from a packed DocView what the gate compares. With templates it leaves out what
// they have; without, what the template had that the page was read with.
func UnpackText(b []byte, templates ...*purify.Template) (dedup.Text, error) {
	view, err := UnpackView(b)
	if err != nil {
		return dedup.Text{}, err
	}
	return dedup.TextOf(view, templates...), nil
}

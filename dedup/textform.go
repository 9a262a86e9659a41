package dedup

import (
	"encoding/binary"
	"errors"

	"gatecrawl.example/gatecrawl/purify"
)

// textVersion is the version of the encoding of a Text for another process.
const textVersion = 10

// The flags of a text and of its blocks.
const (
	flagBare = 1 << iota
	flagThin
	flagWhole
	flagFixed
	flagNamed
	flagPaged
	flagListing
)

const (
	flagChosen = 1 << iota
	flagLinked
	flagProse
	flagShared
	flagPinned
	flagCloud
	flagHeads
)

// errForm says that the encoding of a text or a stub can't be read.
var errForm = errors.New("a text is not in the form that this version of the program reads")

// AppendBinary appends everything that a gate compares a text by: its blocks and the templates of
// its site too, but nothing that can be derived from these. The error is always nil.
//
// The encoding is a byte for the version, the flags, the strings with their lengths, the numbers,
// the blocks and the templates. Numbers are varints; prints and hashes have fixed lengths.
func (t *Text) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, textVersion, bit(t.Bare, flagBare)|bit(t.Thin, flagThin)|bit(t.whole, flagWhole)|bit(t.fixed, flagFixed)|bit(t.named, flagNamed)|bit(t.paged, flagPaged)|bit(t.listing, flagListing))
	for _, s := range []string{t.Title, t.Body, t.Lang, t.Head, t.folder, t.Name, t.Subject, t.Host, t.day, t.edition} {
		b = appendString(b, s)
	}
	b = binary.BigEndian.AppendUint32(b, t.Links)
	b = binary.BigEndian.AppendUint32(b, t.shownTo)
	b = binary.BigEndian.AppendUint64(b, t.place)
	to := t.whereTo()
	for _, hashes := range [][]uint32{t.Lists, to.pages, to.destinations, t.ends, t.pictures} {
		b = binary.AppendUvarint(b, uint64(len(hashes)))
		for _, h := range hashes {
			b = binary.BigEndian.AppendUint32(b, h)
		}
	}
	for _, n := range []int{t.plain, t.prose, t.listed} {
		b = binary.AppendVarint(b, int64(n))
	}
	b = binary.AppendUvarint(b, uint64(len(t.blocks)))
	for i := range t.blocks {
		k := &t.blocks[i]
		b = append(b, bit(k.Chosen, flagChosen)|bit(k.Linked, flagLinked)|bit(k.Prose, flagProse)|bit(k.Shared, flagShared)|bit(k.Pinned, flagPinned)|bit(k.Cloud, flagCloud)|bit(k.Heads, flagHeads))
		b = binary.BigEndian.AppendUint64(b, uint64(k.Print))
		b = binary.BigEndian.AppendUint32(b, uint32(k.Form))
		b = appendString(b, k.Text)
	}
	b = binary.AppendUvarint(b, uint64(len(t.site)))
	for _, site := range t.site {
		var bytes []byte // empty: no template
		if site != nil {
			bytes = site.Bytes()
		}
		b = appendString(b, string(bytes))
	}
	return b, nil
}

// UnmarshalBinary reads what AppendBinary wrote.
func (t *Text) UnmarshalBinary(b []byte) error {
	r := formReader{b: b}
	if r.byte() != textVersion {
		return errForm
	}
	*t = Text{}
	flags := r.byte()
	t.Bare, t.Thin, t.whole, t.fixed = flags&flagBare != 0, flags&flagThin != 0, flags&flagWhole != 0, flags&flagFixed != 0
	t.named, t.paged, t.listing = flags&flagNamed != 0, flags&flagPaged != 0, flags&flagListing != 0
	for _, s := range []*string{&t.Title, &t.Body, &t.Lang, &t.Head, &t.folder, &t.Name, &t.Subject, &t.Host, &t.day, &t.edition} {
		*s = r.string()
	}
	t.Links = r.uint32()
	t.shownTo = r.uint32()
	t.place = r.uint64()
	var to leads
	for _, hashes := range []*[]uint32{&t.Lists, &to.pages, &to.destinations, &t.ends, &t.pictures} {
		for n := r.count(4); n > 0; n-- {
			*hashes = append(*hashes, r.uint32())
		}
	}
	t.setLeads(to)
	for _, n := range []*int{&t.plain, &t.prose, &t.listed} {
		*n = r.int()
	}
	if n := r.count(1 + 8 + 4 + 1); n > 0 {
		t.blocks = make([]purify.Block, n)
		for i := range t.blocks {
			k, flags := &t.blocks[i], r.byte()
			k.Chosen, k.Linked, k.Prose = flags&flagChosen != 0, flags&flagLinked != 0, flags&flagProse != 0
			k.Shared, k.Pinned, k.Cloud, k.Heads = flags&flagShared != 0, flags&flagPinned != 0, flags&flagCloud != 0, flags&flagHeads != 0
			k.Print, k.Form, k.Text = purify.Print(r.uint64()), purify.Form(r.uint32()), r.string()
		}
		t.cut = newCuts(t.blocks)
	}
	for n := r.count(1); n > 0; n-- {
		var site *purify.Template
		if b := r.string(); b != "" {
			var err error
			if site, err = purify.ParseTemplate([]byte(b)); err != nil {
				return err
			}
		}
		t.site = append(t.site, site)
	}
	return r.end()
}

func bit(is bool, f byte) byte {
	if is {
		return f
	}
	return 0
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// A formReader reads an encoding. Beyond the end, and after a wrong length, it returns zeros.
type formReader struct {
	b   []byte
	bad bool
}

func (r *formReader) take(n int) []byte {
	if r.bad = r.bad || n < 0 || n > len(r.b); r.bad {
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *formReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *formReader) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *formReader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *formReader) int() int {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.take(n)
	return int(v)
}

// count returns how many items follow, each of at least least bytes.
func (r *formReader) count(least int) int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > uint64(len(r.b)-n)/uint64(least) {
		r.bad = true
	}
	if r.bad {
		return 0
	}
	r.take(n)
	return int(v)
}

func (r *formReader) string() string { return string(r.take(r.count(1))) }

// end returns an error unless everything was read, and nothing beyond the end.
func (r *formReader) end() error {
	if r.bad || len(r.b) > 0 {
		return errForm
	}
	return nil
}

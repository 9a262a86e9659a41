package page

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/s2"
)

// A text that is coded on a page is a list of pieces, and its length is known. A piece is a
// varint whose two lowest bits say what it is:
//
//	pieceOwn    the rest of the varint is how many bytes come from what the page lacks
//	pieceRest   all that is left of the text is on the page: so many bytes behind the end of the
//	            last piece that was
//	piecePart   the same, but for a part of the text: a varint, its length, follows
//	pieceFar    its place on the page; where the next bit is 1 it is all that is left of the text,
//	            else its length follows. Places behind the page are in the texts that were before
//
// For the last three the next bit says whether the page is taken as it is, or as it is read:
// without its tags, and with one space for white space.
//
// The texts of a view are on its page in nearly the same order, so most of them take two bytes.
// S2 with the page as a dictionary took twice as much room on the benchmark's web.
const (
	pieceOwn = iota
	pieceRest
	piecePart
	pieceFar
	pieceBits = 2

	pieceRead  = 1 << pieceBits
	placeShift = pieceBits + 1
)

const (
	// nearBytes is how far behind the last piece a text is searched that does not start where
	// an element or a value of a link starts.
	nearBytes = 384

	// partNeedle is how many bytes of a text are looked for there.
	partNeedle = 6

	// leastNear is how many bytes a text has at least that is looked for there, and leastPart one
	// that is looked for among the texts before it.
	leastNear, leastPart = 3, 6

	// searched bounds what is searched byte by byte, as a multiple of the page: no text is
	// found on a page in another charset.
	searched = 4
)

// A pageCoder codes texts on a page.
type pageCoder struct {
	page   []byte
	at     int // where on the page the last piece ends
	within int // where in the texts before it a text was found last
	left   int // how many bytes may still be looked through
	pieces []byte
	own    []byte // what the page lacks

	// Where texts start on the page, in its order.
	starts      []start
	next        int     // the first of starts that is not before at, as far as it is known
	shift       int     // how many bits of a hash are left out: the more starts, the fewer
	long, short []int32 // by the hash of the first longStart or shortStart bytes: the first of starts, from 1
}

// A start is a place on the page at which a text may start.
type start struct {
	at          int32
	long, short int32 // the next one with the same hash, from 1; 0: none
}

const (
	// leastBits is how many bits a hash has at least, mostBits at most.
	leastBits, mostBits = 11, 16

	// ahead is how many of the next places are looked at before the hashes are asked, and aheadRead
	// how many as the page is read: most texts start at the next place but a link's URL.
	ahead, aheadRead = 12, 3

	// longStart and shortStart are how many of its first bytes a text is found by.
	longStart, shortStart = 16, 4

	// leastRead is how many bytes have to be equal where a longer text starts.
	leastRead = 6

	// maxStarts is how many places with one hash are looked at. Each counts as startCost bytes that
	// are looked through.
	maxStarts, startCost = 24, 16
)

func hashLong(b []byte) uint32 {
	x := binary.LittleEndian.Uint64(b)*0x9E3779B185EBCA87 ^ binary.LittleEndian.Uint64(b[8:])
	return uint32(x * 0xC2B2AE3D27D4EB4F >> 32)
}

func hashShort(b []byte) uint32 {
	return binary.LittleEndian.Uint32(b) * 2654435761
}

func (c *pageCoder) start(page []byte) {
	c.page, c.at, c.next, c.within, c.left = page, 0, 0, 0, searched*len(page)
	c.pieces, c.own = c.pieces[:0], c.own[:0]
	c.index()
}

// index lists where texts start: behind a tag, and at the values in the tags of links and
// metadata.
func (c *pageCoder) index() {
	if c.starts = c.starts[:0]; len(c.page) == 0 {
		return
	}
	for at := 0; ; {
		open := indexNear(c.page, at, '<')
		if open < 0 {
			break
		}
		end := indexNear(c.page, open, '>')
		if end < 0 {
			break
		}
		length := end - open
		at = end + 1
		if length > 2 {
			switch c.page[open+1] | 0x20 {
			case 'a', 'i', 'l', 'm':
				c.values(open, at)
			}
		}
		for at < len(c.page) && c.page[at] <= ' ' {
			at++
		}
		if at+shortStart <= len(c.page) && c.page[at] != '<' {
			c.starts = append(c.starts, start{at: int32(at)})
		}
	}
	bits := min(max(bits.Len(uint(len(c.starts))), leastBits), mostBits)
	c.shift = 32 - bits
	c.long, c.short = zeros(c.long, 1<<bits), zeros(c.short, 1<<bits)
	for i := len(c.starts) - 1; i >= 0; i-- {
		s := &c.starts[i]
		b := c.page[s.at:]
		head := &c.short[hashShort(b)>>c.shift]
		s.short, *head = *head, int32(i+1)
		if len(b) >= longStart {
			head := &c.long[hashLong(b)>>c.shift]
			s.long, *head = *head, int32(i+1)
		}
	}
}

// indexNear returns where a byte is on the page from a place on, or -1. It is for a byte that is mostly near.
func indexNear(page []byte, from int, b byte) int {
	for near := min(from+16, len(page)); from < near; from++ {
		if page[from] == b {
			return from
		}
	}
	i := bytes.IndexByte(page[from:], b)
	if i < 0 {
		return -1
	}
	return from + i
}

// zeros returns n zeros, in the memory of a slice if that is enough.
func zeros(old []int32, n int) []int32 {
	if cap(old) < n {
		return make([]int32, n)
	}
	old = old[:n]
	clear(old)
	return old
}

// values lists the values in a tag.
func (c *pageCoder) values(from, to int) {
	for {
		equals := bytes.IndexByte(c.page[from:to], '=')
		if equals < 0 {
			return
		}
		from += equals + 1
		if q := c.page[from]; from+1+shortStart <= to && (q == '"' || q == '\'') {
			for from++; from < to && (c.page[from] == '.' || c.page[from] == '/' && c.page[from-1] == '.'); from++ {
				// a URL without the way up to its folder
			}
			if from+shortStart <= to {
				c.starts = append(c.starts, start{at: int32(from)})
			}
		}
	}
}

// ownText codes a text that is not looked for.
func (c *pageCoder) ownText(s []byte) {
	c.pieces = binary.AppendUvarint(c.pieces, uint64(len(s))<<pieceBits)
	c.own = append(c.own, s...)
}

// partOf codes a text that is part of the texts before it, and reports whether it is.
func (c *pageCoder) partOf(before, s []byte) bool {
	if len(s) < leastPart || c.left < 0 {
		return false
	}
	from := min(c.within, len(before))
	p := bytes.Index(before[from:], s)
	if p >= 0 {
		c.left -= p
		p += from
	} else {
		c.left -= len(before)
		if p = bytes.Index(before[:min(from+len(s), len(before))], s); p < 0 {
			return false
		}
	}
	c.within = p
	c.pieces = binary.AppendUvarint(c.pieces, (uint64(len(c.page)+p)<<1|1)<<placeShift|pieceFar)
	return true
}

// text codes a text. It is looked for at a place first if that is not 0.
func (c *pageCoder) text(s []byte, place int) {
	for own, started := 0, false; ; started = true {
		p := -1
		if started && c.left > 0 {
			own, p = c.goesOn(s)
		} else if !started && place > 0 {
			p = c.startsAt(s, place)
		}
		for p < 0 && own < len(s) {
			if p = c.find(s[own:]); p < 0 {
				own += wordOf(s[own:])
			}
		}
		if own > 0 {
			c.pieces = binary.AppendUvarint(c.pieces, uint64(own)<<pieceBits)
			c.own = append(c.own, s[:own]...)
			s, own = s[own:], 0
		}
		if len(s) == 0 {
			return
		}
		kind := uint64(0)
		n := sameBytes(s, c.page[p:])
		end := p + n
		if n < len(s) {
			if read, to := c.readSame(s, p); read > n {
				n, end, kind = read, to, pieceRead
			}
		}
		if n == 0 { // no more is looked through
			c.ownText(s)
			return
		}
		forward, whole := p-c.at, n == len(s)
		v := uint64(forward)
		switch {
		case forward < 0:
			kind |= pieceFar
			if v = uint64(p) << 1; whole {
				v |= 1
			}
		case whole:
			kind |= pieceRest
		default:
			kind |= piecePart
		}
		c.pieces = binary.AppendUvarint(c.pieces, v<<placeShift|kind)
		if !whole {
			c.pieces = binary.AppendUvarint(c.pieces, uint64(n))
		}
		c.at, s = end, s[n:]
	}
}

// readSame returns how many bytes of a text are those of the page from a place on, as it is read, and
// where on the page they end. What it leaves out counts as looked through.
func (c *pageCoder) readSame(s []byte, from int) (n, end int) {
	page, at, most := c.page, from, from+c.left
read:
	for n < len(s) && at < len(page) && at-n <= most {
		b := page[at]
		if s[n] == b && !tagOrSpace[b] {
			n++
			at++
			end = at
			continue
		}
		switch {
		case b == '<':
			length := bytes.IndexByte(page[at:min(at+maxTag, len(page))], '>')
			if length < 0 {
				break read
			}
			at += length + 1
		case tagOrSpace[b]:
			says := n == 0 || s[n-1] != ' '
			if says && s[n] != ' ' {
				break read
			}
			for at++; at < len(page) && isSpace(page[at]); at++ {
			}
			if says {
				n++
				end = at
			}
		default:
			break read
		}
	}
	c.left -= at - from - n
	return n, end
}

// maxTag is how long a tag is at most that is left out where a page is read.
const maxTag = 1024

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' || b == '\f' }

// tagOrSpace has the bytes that are not taken as they are where a page is read.
var tagOrSpace = func() (set [256]bool) {
	for b := range set {
		set[b] = b == '<' || isSpace(byte(b))
	}
	return set
}()

// find returns where on the page the start of a text is, or -1: where one starts, or near the
// last piece.
func (c *pageCoder) find(s []byte) int {
	if p := c.soon(s); p >= 0 {
		return p
	}
	if p := c.findStart(s); p >= 0 {
		return p
	}
	if len(s) < leastNear {
		return -1 // its place would take as much room
	}
	return c.look(c.at, nearBytes, s[:min(len(s), partNeedle)])
}

// hasPrefix reports whether a text of the page starts with all of s.
func (c *pageCoder) hasPrefix(s []byte) bool {
	p := c.findLong(s) // the page has the first bytes as they are, or not all of s
	if len(s) < longStart {
		p = c.findShort(s)
	}
	return p >= 0 && bytes.HasPrefix(c.page[p:], s)
}

// soon returns the place at which a text starts that is one of the next on the page; -1: it is none of
// them.
func (c *pageCoder) soon(s []byte) int {
	if len(s) < shortStart {
		return -1
	}
	c.forward()
	head := s[:min(len(s), longStart)]
	first := binary.LittleEndian.Uint32(head)
	for i, b := range c.starts[c.next:min(c.next+ahead, len(c.starts))] {
		if binary.LittleEndian.Uint32(c.page[b.at:]) == first && bytes.HasPrefix(c.page[b.at:], head) {
			return int(b.at)
		}
		if i < aheadRead && len(head) == longStart && c.page[b.at] == head[0] {
			if n, _ := c.readSame(head, int(b.at)); n == len(head) {
				return int(b.at)
			}
		}
	}
	return -1
}

// goesOn returns where on the page a text goes on behind its last piece, and how many of its bytes
// stand between: characters for which the page has references, and a space that it has none for between
// two tags. p is -1 if it does not go on there. What it passes over counts as looked through.
func (c *pageCoder) goesOn(s []byte) (own, p int) {
	at, tagged := c.at, false
	defer func() { c.left -= at - c.at }()
	for range maxSteps {
		if own == len(s) || at >= len(c.page) {
			break
		}
		b := c.page[at]
		if isSpace(b) {
			b = ' '
		}
		switch {
		case b == '<' && s[own] != '<':
			length := bytes.IndexByte(c.page[at:min(at+maxTag, len(c.page))], '>')
			if length < 0 {
				return 0, -1
			}
			at += length + 1
			tagged = true
		case b == '&' && s[own] != '\n':
			length := bytes.IndexByte(c.page[at:min(at+maxReference, len(c.page))], ';')
			if length < 0 {
				return 0, -1
			}
			at += length + 1
			_, size := utf8.DecodeRune(s[own:])
			own += size
		case s[own] == b:
			return own, at
		case s[own] == ' ' && tagged:
			own++
			tagged = false
		default:
			return 0, -1
		}
	}
	return 0, -1
}

const (
	// maxReference is how long a character reference is at most behind which a text is looked for.
	maxReference = 12

	// maxSteps is how many tags and references may stand between two pieces of a text.
	maxSteps = 12
)

// forward brings next to where the last piece ends.
func (c *pageCoder) forward() {
	if c.next > 0 && int(c.starts[c.next-1].at) >= c.at {
		c.next = 0
	} else {
		for range ahead {
			if c.next == len(c.starts) || int(c.starts[c.next].at) >= c.at {
				return
			}
			c.next++
		}
	}
	rest := c.starts[c.next:]
	c.next += sort.Search(len(rest), func(i int) bool { return int(rest[i].at) >= c.at })
}

// startsAt returns where a text starts at a place on the page, or behind white space there; -1: another text does. A place
// counts from behind a byte order mark.
func (c *pageCoder) startsAt(s []byte, place int) int {
	if bytes.HasPrefix(c.page, []byte("\xef\xbb\xbf")) {
		place += 3
	}
	for place < len(c.page) && isSpace(c.page[place]) {
		place++
	}
	head := s[:min(len(s), longStart)]
	if place >= len(c.page) || c.page[place] != head[0] {
		return -1
	}
	if n, end := c.readSame(head, place); n == len(head) || n >= leastNear || n > 0 && end < len(c.page) && c.page[end] == '&' {
		return place
	}
	return -1
}

// findStart returns the next place behind the last piece at which a text starts as s does,
// otherwise one before it; -1: there is none.
func (c *pageCoder) findStart(s []byte) int {
	if p := c.findLong(s); p >= 0 {
		return p
	}
	return c.findShort(s)
}

// findLong is findStart for the first longStart bytes of s as they are.
func (c *pageCoder) findLong(s []byte) int {
	before := -1
	if len(c.starts) == 0 || len(s) < longStart {
		return before
	}
	i := c.long[hashLong(s)>>c.shift]
	for range maxStarts {
		if i == 0 || c.left <= 0 {
			break
		}
		c.left -= startCost
		b := &c.starts[i-1]
		i = b.long
		if at := int(b.at); bytes.HasPrefix(c.page[at:], s[:longStart]) {
			if before = at; at >= c.at {
				return at
			}
		}
	}
	return before
}

// findShort is findStart for a text that starts with the first bytes of s as the page is read.
func (c *pageCoder) findShort(s []byte) int {
	before := -1
	if len(c.starts) == 0 || len(s) < shortStart {
		return before
	}
	head := s[:min(len(s), longStart)]
	most, i := min(leastRead, len(s))-1, c.short[hashShort(s)>>c.shift]
	for range maxStarts {
		if i == 0 || c.left <= 0 {
			break
		}
		c.left -= startCost
		b := &c.starts[i-1]
		i = b.short
		if at := int(b.at); len(head) >= 8 && at+8 <= len(c.page) {
			if n := bits.TrailingZeros64(binary.LittleEndian.Uint64(c.page[at:])^binary.LittleEndian.Uint64(head)) / 8; n < min(most, 8) && !tagOrSpace[c.page[at+n]] {
				continue
			}
		}
		n, _ := c.readSame(head, int(b.at))
		if n == len(head) && int(b.at) >= c.at {
			return int(b.at)
		}
		if n > most || n == most && int(b.at) < c.at {
			before, most = int(b.at), n
		}
	}
	return before
}

// look looks for a needle within n bytes of the page.
func (c *pageCoder) look(from, n int, needle []byte) int {
	if from >= len(c.page) || c.left <= 0 {
		return -1
	}
	in := c.page[from:min(from+n, len(c.page))]
	p := bytes.Index(in, needle)
	if p < 0 {
		c.left -= len(in)
		return -1
	}
	c.left -= p
	return from + p
}

// wordOf returns how many bytes of a text are taken as missing on the page before the search
// goes on.
func wordOf(s []byte) int {
	const most = 24
	for i, b := range s[:min(len(s), most)] {
		if b == ' ' || b == '/' || b == '-' {
			return i + 1
		}
	}
	return min(len(s), most)
}

// sameBytes returns how many bytes a and b have in common at their start.
func sameBytes(a, b []byte) int {
	n, i := min(len(a), len(b)), 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// appendTo appends the length of the pieces, the pieces, and what the page lacks, in a block of
// S2 if that is shorter.
func (c *pageCoder) appendTo(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(c.pieces)))
	b = append(b, c.pieces...)
	const leastPacked = 64
	if len(c.own) >= leastPacked {
		if packed := s2.Encode(nil, c.own); len(packed) < len(c.own) {
			return append(append(b, ownPacked), packed...)
		}
	}
	return append(append(b, ownPlain), c.own...)
}

// The forms of what a page lacks.
const (
	ownPlain = iota
	ownPacked
)

// A pageDecoder reads what a pageCoder wrote. Its strings are parts of one.
type pageDecoder struct {
	page   []byte
	at     int
	pieces []byte
	own    []byte
	out    strings.Builder
}

var errPieces = errors.New("its texts are not those of the page")

// newPageDecoder reads what appendTo appended; size is what all texts together have, about.
func newPageDecoder(b, page []byte, size int) (*pageDecoder, error) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n >= uint64(len(b)-k) {
		return nil, errPieces
	}
	b = b[k:]
	d := &pageDecoder{page: page, pieces: b[:n]}
	switch form, own := b[n], b[n+1:]; form {
	case ownPlain:
		d.own = own
	case ownPacked:
		if size, err := s2.DecodedLen(own); err != nil || size > maxUnpacked {
			return nil, errPieces
		}
		var err error
		if d.own, err = s2.Decode(nil, own); err != nil {
			return nil, fmt.Errorf("%w: %w", errPieces, err)
		}
	default:
		return nil, errPieces
	}
	d.out.Grow(size)
	return d, nil
}

// text reads a text of n bytes; ok is false if it is not as it was written.
func (d *pageDecoder) text(n uint64) (s string, ok bool) {
	from := d.out.Len()
	for n > 0 {
		v := d.uint()
		kind, v := v&(1<<pieceBits-1), v>>pieceBits
		if kind == pieceOwn {
			if v == 0 || v > n || v > uint64(len(d.own)) {
				return "", false
			}
			d.out.Write(d.own[:v])
			d.own, n = d.own[v:], n-v
			continue
		}
		read := v&1 != 0
		v >>= 1
		size, at := n, v+uint64(d.at)
		switch {
		case kind == piecePart:
			size = d.uint()
		case kind == pieceFar:
			at = v >> 1
			if v&1 == 0 {
				size = d.uint()
			}
		}
		if size == 0 || size > n {
			return "", false
		}
		n -= size
		if before := at - uint64(len(d.page)); kind == pieceFar && at >= uint64(len(d.page)) {
			if before > uint64(d.out.Len()) || size > uint64(d.out.Len())-before {
				return "", false
			}
			d.out.WriteString(d.out.String()[before : before+size])
			continue
		}
		if at > uint64(len(d.page)) || size > uint64(len(d.page))-at {
			return "", false
		}
		if read {
			if !d.read(int(at), int(size)) {
				return "", false
			}
			continue
		}
		d.out.Write(d.page[at : at+size])
		d.at = int(at + size)
	}
	return d.out.String()[from:], true
}

// read takes so many bytes from the page as it is read.
func (d *pageDecoder) read(at, size int) bool {
	page, space := d.page, false
	for size > 0 {
		if at >= len(page) {
			return false
		}
		if b := page[at]; b == '<' {
			length := bytes.IndexByte(page[at:min(at+maxTag, len(page))], '>')
			if length < 0 {
				return false
			}
			at += length + 1
		} else if isSpace(b) {
			if !space {
				d.out.WriteByte(' ')
				size--
			}
			space = true
			for at++; at < len(page) && isSpace(page[at]); at++ {
			}
		} else {
			from, end := at, min(at+size, len(page))
			for at < end {
				if !tagOrSpace[page[at]] {
					at++
				} else if page[at] == ' ' && at+1 < end && !tagOrSpace[page[at+1]] {
					at += 2 // a space between two words is taken as it is
				} else {
					break
				}
			}
			d.out.Write(page[from:at])
			size -= at - from
			space = false
		}
	}
	d.at = at
	return true
}

// uint reads a varint; if there is none it is 0, which is not a piece.
func (d *pageDecoder) uint() uint64 {
	v, n := binary.Uvarint(d.pieces)
	if n <= 0 {
		d.pieces = nil
		return 0
	}
	d.pieces = d.pieces[n:]
	return v
}

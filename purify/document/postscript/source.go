package postscript

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"io"
	"math"
	"strconv"
	"strings"
)

// A source is a file from which a program, or its data, is read.
type source struct {
	in     *bufio.Reader
	closed bool
}

func newSource(r io.Reader) *source { return &source{in: bufio.NewReaderSize(r, 1)} }

// sourceOf returns a source with these bytes.
func sourceOf(b []byte) *source { return &source{in: bufio.NewReaderSize(bytes.NewReader(b), 1<<12)} }

func (s *source) next() (byte, bool) {
	if s.closed {
		return 0, false
	}
	c, err := s.in.ReadByte()
	if err != nil {
		s.closed = true
	}
	return c, err == nil
}

func (s *source) back() { _ = s.in.UnreadByte() }

func white(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}
func special(c byte) bool { return strings.IndexByte("()<>[]{}/%", c) >= 0 }

// scan reads the next token (section 3.2); ok is false at the end.
func (m *machine) scan(s *source, depth int) (o object, ok bool, err error) {
	for {
		c, more := s.next()
		switch {
		case !more:
			return o, false, nil
		case white(c):
			continue
		case c == '%':
			for more && c != '\n' && c != '\r' {
				c, more = s.next()
			}
			continue
		}
		o, err = m.token(s, c, depth)
		return o, true, err
	}
}

const maxDepth = 250 // of procedures within procedures, and of calls within calls

func (m *machine) token(s *source, c byte, depth int) (object, error) {
	switch c {
	case '(':
		return m.made(textOf(literal(s)))
	case '{':
		if depth > maxDepth {
			return object{}, limitCheck
		}
		var body []object
		for {
			o, ok, err := m.scan(s, depth+1)
			if err != nil {
				return object{}, err
			}
			if !ok || o.kind == name && o.exec && o.s == "}" {
				p, err := m.made(listOf(body))
				p.exec = true
				return p, err
			}
			body = append(body, o)
		}
	case '<':
		switch d, _ := s.next(); d {
		case '<':
			return object{kind: name, exec: true, s: "<<"}, nil
		case '~':
			b, _ := io.ReadAll(ascii85.NewDecoder(&until85{s: s}))
			return m.made(textOf(b))
		default:
			s.back()
			return m.made(textOf(hexed(s)))
		}
	case '>':
		if d, ok := s.next(); ok && d != '>' {
			s.back()
		}
		return object{kind: name, exec: true, s: ">>"}, nil
	case '[', ']', '}', ')':
		return object{kind: name, exec: true, s: string(c)}, nil
	case '/':
		word := ""
		d, ok := s.next()
		now := ok && d == '/'
		if ok && !now {
			s.back()
		}
		word = rest(s, nil)
		if now {
			if v, ok := m.look(word); ok {
				return v, nil
			}
		}
		return named(word), nil
	}
	word := rest(s, []byte{c})
	if n, ok := numberOf(word); ok {
		return n, nil
	}
	return object{kind: name, exec: true, s: word}, nil
}

// rest reads the regular characters of a token, and the white space after it.
func rest(s *source, word []byte) string {
	for {
		c, ok := s.next()
		switch {
		case !ok:
			return string(word)
		case special(c):
			s.back()
			return string(word)
		case white(c):
			if c == '\r' {
				if d, ok := s.next(); ok && d != '\n' {
					s.back()
				}
			}
			return string(word)
		}
		word = append(word, c)
	}
}

func numberOf(word string) (object, bool) {
	if c := word[0]; c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
		return object{}, false
	}
	if i, err := strconv.ParseInt(word, 10, 64); err == nil {
		if i == int64(int32(i)) {
			return whole(int(i)), true
		}
		return real(float64(i)), true
	}
	if base, digits, ok := strings.Cut(word, "#"); ok {
		if b, err := strconv.Atoi(base); err == nil && b >= 2 && b <= 36 {
			if i, err := strconv.ParseUint(digits, b, 32); err == nil {
				return whole(int(int32(i))), true
			}
		}
		return object{}, false
	}
	x, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(word, "xX_pPnN") {
		return object{}, false
	}
	return real(x), true
}

// literal reads a string in parentheses.
func literal(s *source) []byte {
	b := []byte{}
	for depth := 1; ; {
		c, ok := s.next()
		if !ok {
			return b
		}
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return b
			}
		case '\\':
			c, ok = s.next()
			if !ok {
				return b
			}
			switch {
			case c >= '0' && c <= '7':
				n := int(c - '0')
				for range 2 {
					d, ok := s.next()
					if !ok {
						break
					}
					if d < '0' || d > '7' {
						s.back()
						break
					}
					n = 8*n + int(d-'0')
				}
				c = byte(n)
			case c == '\n':
				continue
			case c == '\r':
				if d, ok := s.next(); ok && d != '\n' {
					s.back()
				}
				continue
			default:
				if i := strings.IndexByte("nrtbf", c); i >= 0 {
					c = "\n\r\t\b\f"[i]
				}
			}
		}
		b = append(b, c)
	}
}

// hexed reads a string of hexadecimal digits up to its bracket.
func hexed(s *source) []byte {
	b := []byte{}
	high := -1
	for {
		c, ok := s.next()
		if !ok || c == '>' {
			if high >= 0 {
				b = append(b, byte(high<<4))
			}
			return b
		}
		d := digit(c)
		switch {
		case d < 0:
		case high < 0:
			high = d
		default:
			b = append(b, byte(high<<4|d))
			high = -1
		}
	}
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// until85 reads up to the mark that ends ASCII85.
type until85 struct {
	s    *source
	done bool
}

func (u *until85) Read(p []byte) (int, error) {
	if u.done || len(p) == 0 {
		return 0, io.EOF
	}
	c, ok := u.s.next()
	if !ok || c == '~' {
		if ok {
			u.s.next() // its bracket
		}
		u.done = true
		return 0, io.EOF
	}
	p[0] = c
	return 1, nil
}

// decoded returns a source that decodes another one (section 3.13). If the filter is not known the
// bytes are not decoded: they belong to a picture.
func decoded(filter string, s *source) *source {
	switch filter {
	case "ASCII85Decode":
		return newSource(ascii85.NewDecoder(&until85{s: s}))
	case "ASCIIHexDecode":
		return newSource(&unhexed{s: s})
	case "RunLengthDecode":
		return newSource(&runs{s: s})
	case "FlateDecode":
		if z, err := zlib.NewReader(s.in); err == nil {
			return newSource(z)
		}
	}
	return s
}

// unhexed reads bytes from hexadecimal digits.
type unhexed struct{ s *source }

func (u *unhexed) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	high := -1
	for {
		c, ok := u.s.next()
		d := digit(c)
		switch {
		case !ok || c == '>':
			return 0, io.EOF
		case d < 0:
		case high < 0:
			high = d
		default:
			p[0] = byte(high<<4 | d)
			return 1, nil
		}
	}
}

// runs reads what is coded in runs of equal bytes.
type runs struct {
	s    *source
	left int
	same bool
	c    byte
}

func (r *runs) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if r.left == 0 {
		n, ok := r.s.next()
		if !ok || n == 128 {
			return 0, io.EOF
		}
		if r.left, r.same = int(n)+1, n > 128; r.same {
			r.left = 257 - int(n)
			r.c, _ = r.s.next()
		}
	}
	r.left--
	if !r.same {
		r.c, _ = r.s.next()
	}
	p[0] = r.c
	return 1, nil
}

// deciphered decrypts a font program after eexec (Adobe Type 1 Font Format, section 7).
type deciphered struct {
	s       *source
	r       uint16
	hex     bool
	started bool
}

func (d *deciphered) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if !d.started {
		d.started, d.r = true, 55665
		head := make([]byte, 0, 4)
		for len(head) < 4 {
			c, ok := d.s.next()
			if !ok {
				return 0, io.EOF
			}
			if len(head) > 0 || !white(c) {
				head = append(head, c)
			}
		}
		d.hex = true
		for _, c := range head {
			d.hex = d.hex && digit(c) >= 0
		}
		if d.hex { // two of the four random bytes
			for i := 0; i < 4; i += 2 {
				d.plain(byte(digit(head[i])<<4 | digit(head[i+1])))
			}
			for range 2 {
				if c, ok := d.cipher(); ok {
					d.plain(c)
				}
			}
		} else {
			for _, c := range head {
				d.plain(c)
			}
		}
	}
	c, ok := d.cipher()
	if !ok {
		return 0, io.EOF
	}
	p[0] = d.plain(c)
	return 1, nil
}

func (d *deciphered) cipher() (byte, bool) {
	if !d.hex {
		return d.s.next()
	}
	high := -1
	for {
		c, ok := d.s.next()
		v := digit(c)
		switch {
		case !ok:
			return 0, false
		case v < 0:
		case high < 0:
			high = v
		default:
			return byte(high<<4 | v), true
		}
	}
}

func (d *deciphered) plain(c byte) byte {
	p := c ^ byte(d.r>>8)
	d.r = (uint16(c)+d.r)*52845 + 22719
	return p
}

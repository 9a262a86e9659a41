package weburl

import (
	"bytes"
	"strings"
)

// Parse returns the canonical form of an absolute http or https URL, or a *ParseError.
//
// The URL is read as browsers read it (the WHATWG URL standard): spaces and
// control bytes around it and tabs and line ends inside it are ignored, a backslash is a
// slash, and there may be too many or too few slashes after the scheme. Version 1 of the
// canonical form is then:
//
//  1. The fragment is dropped: it never reaches the server.
//  2. User name and password are dropped: they do not identify a page, and a
//     crawler does not log in by a link.
//  3. The scheme and the host are in lower case. A host that is not ASCII is
//     written in punycode by UTS 46, an IPv4 address as four decimal numbers,
//     an IPv6 address compressed. Dots at the end of the host are dropped. A
//     host name may be 253 bytes long, as long as DNS allows.
//  4. The scheme's default port is dropped, and so are leading zeros of a port.
//  5. The segments "." and ".." are resolved, however their dots are escaped.
//     Empty segments stay. An empty path is "/".
//  6. Escapes have upper-case digits. An escaped letter, digit, hyphen, dot,
//     underscore or tilde (RFC 3986's unreserved characters) is decoded. What
//     the standard escapes is escaped, each byte of a character that is not
//     ASCII as UTF-8, so Chinese URLs stay distinct, and the raw and the escaped
//     form are the same. A byte that is not UTF-8 is escaped as it is, and a
//     percent sign that does not start an escape is %25.
//  7. A question mark at the end is dropped. The order of the query's
//     parameters is kept: it may matter to servers.
//
// Parse of a canonical URL returns it unchanged. Neither the text nor the canonical URL may
// be longer than 8 KiB.
func Parse(raw string) (URL, error) { return URL{}.Parse(raw) }

// Parse resolves a reference found on the page u. On the zero URL only absolute
// URLs resolve.
func (u URL) Parse(ref string) (URL, error) {
	v, err := u.resolve(ref)
	if err != nil {
		return URL{}, &ParseError{ref, err}
	}
	return v, nil
}

func (u URL) resolve(ref string) (URL, error) {
	ref = TrimSpace(ref)
	scheme, rest, absolute := cutScheme(ref)
	if scheme == "" && (absolute || u.IsZero()) {
		return URL{}, ErrNotHTTP
	}
	if len(ref) > MaxBytes {
		return URL{}, ErrTooLong
	}
	if !absolute || scheme == u.Scheme() {
		// A reference such as http:page is relative on a page of its scheme.
		scheme, absolute = u.Scheme(), false
	}

	// Nearly all URLs fit into buf, which then stays on the stack.
	var buf [512]byte
	b := append(buf[:0], scheme...)
	b = append(b, "://"...)
	v := URL{hostAt: uint16(len(b))}

	slashes := len(rest) - len(strings.TrimLeft(rest, `/\`))
	hasHost := absolute || slashes >= 2
	if hasHost {
		var authority string
		authority, rest = cutAuthority(rest[slashes:])
		host, port, err := splitAuthority(authority, scheme)
		if err != nil {
			return URL{}, err
		}
		if b, err = appendHost(b, host, u); err != nil {
			return URL{}, err
		}
		v.portAt = uint16(len(b))
		b = append(b, port...)
	} else {
		b = append(b, u.Host()...)
		v.portAt = v.hostAt + u.portAt - u.hostAt
	}

	root := len(b)
	v.pathAt = uint16(root)
	query := "" // the page's own, which a reference without path and query keeps
	switch {
	case hasHost || slashes == 1:
		b, rest = appendPath(b, root, rest)
	case rest == "" || rest[0] == '#':
		b = append(b, u.Path()...)
		query = u.s[u.queryAt:]
	case rest[0] == '?':
		b = append(b, u.Path()...)
	default:
		p := u.Path()
		b = append(b, p[:strings.LastIndexByte(p, '/')+1]...)
		b, rest = appendPath(b, root, rest)
	}
	v.queryAt = uint16(len(b))
	b = append(b, query...)
	b = appendQuery(b, rest)
	if len(b) > MaxBytes {
		return URL{}, ErrTooLong
	}
	v.s = string(b)
	return v, nil
}

// TrimSpace removes control bytes and spaces around a URL, and tabs and line ends inside
// it.
func TrimSpace(s string) string {
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	for i := range len(s) {
		if c := s[i]; c == '\t' || c == '\n' || c == '\r' {
			return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(s)
		}
	}
	return s
}

// cutScheme splits s after its scheme. It reports false if s has none, and returns an empty
// scheme if it is neither http nor https.
func cutScheme(s string) (scheme, rest string, ok bool) {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			if strings.EqualFold(s[:i], "https") {
				return "https", s[i+1:], true
			}
			if strings.EqualFold(s[:i], "http") {
				return "http", s[i+1:], true
			}
			return "", s[i+1:], true
		default:
			return "", s, false
		}
	}
	return "", s, false
}

// appendPath appends the path at the start of rest to the bytes of b from root on, which
// are empty or a folder, and returns what follows the path in rest.
func appendPath(b []byte, root int, rest string) (path []byte, after string) {
	if len(b) == root {
		b = append(b, '/')
		if rest != "" && isSlash(rest[0]) {
			rest = rest[1:]
		}
	}
	for {
		segment := len(b)
		b, rest = appendEscaped(b, rest, inSegment)
		more := rest != "" && isSlash(rest[0])
		switch string(b[segment:]) {
		case ".":
			b = b[:segment]
		case "..":
			b = b[:max(root, bytes.LastIndexByte(b[root:segment-1], '/')+root)+1]
		default:
			if more {
				b = append(b, '/')
			}
		}
		if !more {
			return b, rest
		}
		rest = rest[1:]
	}
}

// appendQuery appends the query at the start of rest with its question mark, unless it is
// empty.
func appendQuery(b []byte, rest string) []byte {
	if len(rest) < 2 || rest[0] != '?' || rest[1] == '#' {
		return b
	}
	b, _ = appendEscaped(append(b, '?'), rest[1:], inQuery)
	return b
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// The classes of bytes, as bits of class. A byte without inSegment is escaped in a segment
// and one without inQuery in a query, unless it ends the part.
const (
	inSegment  = 1 << iota // stands for itself in a segment of a path
	inQuery                // stands for itself in a query
	endSegment             // ends a segment
	endQuery               // ends a query
	unreserved             // is never escaped
)

// class has the sets of the WHATWG URL standard, section 1.3 (path
// percent-encode set, special-query percent-encode set), and RFC 3986's
// unreserved characters (section 2.3).
var class = func() (t [256]byte) {
	for c := '!'; c <= '~'; c++ {
		if !strings.ContainsRune("\"#<>?^`{}%/\\", c) {
			t[c] |= inSegment
		}
		if !strings.ContainsRune("\"#<>'%", c) {
			t[c] |= inQuery
		}
	}
	for _, c := range "/\\?#" {
		t[c] |= endSegment
	}
	t['#'] |= endQuery
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" {
		t[c] |= unreserved
	}
	return t
}()

// appendEscaped appends s up to the byte that ends the part (a segment or the
// query), escaped as Parse documents, and returns the rest of s.
func appendEscaped(b []byte, s string, part byte) (escaped []byte, rest string) {
	const upperHex = "0123456789ABCDEF"
	end := part << 2 // endSegment or endQuery
	for i := 0; i < len(s); {
		from := i
		for i < len(s) && class[s[i]]&part != 0 {
			i++
		}
		b = append(b, s[from:i]...)
		if i == len(s) {
			break
		}
		c := s[i]
		if class[c]&end != 0 {
			return b, s[i:]
		}
		i++
		if c == '%' && i+1 < len(s) {
			if hi, lo := unhex(s[i]), unhex(s[i+1]); hi >= 0 && lo >= 0 {
				c = byte(hi<<4 | lo)
				i += 2
				if class[c]&unreserved != 0 {
					b = append(b, c)
					continue
				}
			}
		}
		b = append(b, '%', upperHex[c>>4], upperHex[c&15])
	}
	return b, ""
}

// unhex returns the value of a hexadecimal digit, or -1.
func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

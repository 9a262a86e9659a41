package weburl

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// cutAuthority splits s before its path, query or fragment.
func cutAuthority(s string) (authority, rest string) {
	if i := strings.IndexAny(s, `/\?#`); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// splitAuthority returns the host of user@host:port unchanged, and the port with its colon,
// or "" for the scheme's default.
func splitAuthority(authority, scheme string) (host, port string, err error) {
	host = authority[strings.LastIndexByte(authority, '@')+1:]
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host, port = host[:i], host[i+1:]
	}
	if host == "" {
		return "", "", ErrNoHost
	}
	if port == "" {
		return host, "", nil
	}
	n := 0
	for _, c := range []byte(port) {
		if n = n*10 + int(c-'0'); c < '0' || '9' < c || n > 65535 {
			return "", "", ErrBadPort
		}
	}
	if n == 80 && scheme == "http" || n == 443 && scheme == "https" {
		return host, "", nil
	}
	return host, ":" + strconv.Itoa(n), nil
}

// appendHost appends the canonical form of a host name. The host of the page with the link
// is already canonical.
func appendHost(b []byte, host string, page URL) ([]byte, error) {
	if host == page.s[page.hostAt:page.portAt] {
		return append(b, host...), nil
	}
	if plain, ok := appendPlainHost(b, host); ok {
		return plain, nil
	}
	name, err := otherHost(host)
	return append(b, name...), err
}

// appendPlainHost appends a host that needs nothing but lower case: a name of ASCII letters,
// digits, hyphens and underscores whose last label does not start with a digit. It returns
// false for all others, valid or not, which oddHost handles.
func appendPlainHost(b []byte, host string) ([]byte, bool) {
	if len(host) > maxHostBytes {
		return nil, false
	}
	label := len(b) // where the label starts
	for _, c := range []byte(host) {
		switch {
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
		case c == '.' && label < len(b):
			label = len(b) + 1
		default:
			return nil, false
		}
		b = append(b, c)
	}
	if label == len(b) || '0' <= b[label] && b[label] <= '9' {
		return nil, false
	}
	return b, true
}

// maxHostBytes is the longest host name that the domain name system allows
// (RFC 1035, section 2.3.4: 255 bytes of which two are not written).
const maxHostBytes = 253

// punycode is the WHATWG standard's "domain to ASCII" (section 3.3) for names
// that are not ASCII: UTS 46, not transitional, with any length and any hyphens.
// StrictDomainName would refuse underscores; hostForbidden says what names may
// not contain. A name in ASCII is taken as it is, xn-- or not: browsers do so.
var punycode = idna.New(
	idna.MapForLookup(),
	idna.ValidateLabels(true), // before CheckHyphens, which it would switch on again
	idna.CheckHyphens(false),
	idna.CheckJoiners(true),
	idna.BidiRule(),
	idna.StrictDomainName(false),
	idna.Transitional(false),
	idna.VerifyDNSLength(false),
)

// hostForbidden are the printable characters that no host name may contain
// (WHATWG URL, "forbidden domain code point").
const hostForbidden = " #%/:<>?@[\\]^|\x7f"

// otherHost returns the canonical form of any host (WHATWG URL, section 3.5),
// without dots at its end.
func otherHost(host string) (string, error) {
	if host[0] == '[' {
		return ipv6(host)
	}
	name, err := url.PathUnescape(host)
	if err != nil || !utf8.ValidString(name) {
		return "", ErrBadHost // the error is a percent sign without an escape
	}
	if len(name) > maxHostBytes*utf8.UTFMax {
		return "", ErrBadHost // punycode takes quadratic time
	}
	if !IsASCII(name) {
		if name, err = punycode.ToASCII(name); err != nil {
			return "", ErrBadHost
		}
	}
	name = strings.TrimRight(strings.ToLower(name), ".")
	if name == "" {
		return "", ErrNoHost
	}
	for _, c := range []byte(name) {
		if c < ' ' || strings.IndexByte(hostForbidden, c) >= 0 {
			return "", ErrBadHost
		}
	}
	if isNumber(name[strings.LastIndexByte(name, '.')+1:]) {
		return ipv4(name)
	}
	if len(name) > maxHostBytes {
		return "", ErrBadHost
	}
	return name, nil
}

// IsASCII reports whether a text has no byte above 127.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isNumber reports whether a label is decimal, or hexadecimal after 0x.
func isNumber(label string) bool {
	digits, hex := strings.CutPrefix(label, "0x")
	for _, c := range []byte(digits) {
		if unhex(c) < 0 || !hex && '9' < c {
			return false
		}
	}
	return hex || digits != ""
}

// ipv4 returns the four decimal numbers of an address, whose parts may be
// decimal, octal after 0 or hexadecimal after 0x. There may be fewer than four: then the
// last part fills the rest.
func ipv4(name string) (string, error) {
	parts := strings.Count(name, ".") + 1
	if parts > 4 {
		return "", ErrBadHost
	}
	var addr uint64
	i := 0
	for p := range strings.SplitSeq(name, ".") {
		i++
		if !isNumber(p) {
			return "", ErrBadHost
		}
		base := 10
		if hex, ok := strings.CutPrefix(p, "0x"); ok {
			p, base = "0"+hex, 16
		} else if p[0] == '0' {
			base = 8
		}
		n, err := strconv.ParseUint(p, base, 64)
		bits := 8 // of this part
		if i == parts {
			bits = 8 * (5 - parts)
		}
		if err != nil || n >= 1<<bits {
			return "", ErrBadHost
		}
		addr = addr<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(addr >> 24), byte(addr >> 16), byte(addr >> 8), byte(addr)}).String(), nil
}

// ipv6 returns an address in brackets in its shortest form. Unlike RFC 5952 the
// standard writes the IPv4 address in a mapped one in hexadecimal too.
func ipv6(host string) (string, error) {
	if host[len(host)-1] != ']' {
		return "", ErrBadHost
	}
	a, err := netip.ParseAddr(host[1 : len(host)-1])
	if err != nil || !a.Is6() || a.Zone() != "" {
		return "", ErrBadHost
	}
	if b := a.As16(); a.Is4In6() {
		return fmt.Sprintf("[::ffff:%x:%x]", uint16(b[12])<<8|uint16(b[13]), uint16(b[14])<<8|uint16(b[15])), nil
	}
	return "[" + a.String() + "]", nil
}

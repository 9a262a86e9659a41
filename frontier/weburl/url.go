package weburl

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
)

// Version is the version of the canonical form that Parse writes. It is stored with a job:
// keys of two versions cannot be compared.
const Version = 1

// MaxBytes is the longest URL that Parse reads or returns. Servers
// commonly refuse request lines over 8 KiB.
const MaxBytes = 8 << 10

// A URL is an absolute http or https URL in canonical form, as Parse writes it. URLs are
// comparable; the zero URL means none.
type URL struct {
	s       string
	hostAt  uint16 // first byte of the host
	portAt  uint16 // first byte after the host's name: a colon, or the path
	pathAt  uint16 // first byte of the path
	queryAt uint16 // first byte after the path: a question mark, or the end
}

// A Key identifies a URL in 16 bytes: 6 of its host, 10 of the whole URL, each the start of
// a SHA-256. Keys of one host are neighbours in a sorted table.
type Key [16]byte

// A HostKey is the part of a Key for the host.
type HostKey [6]byte

// HostOf returns the host, and the port if there is one, in the text of a URL: what URL.Host
// returns for one in its canonical form.
func HostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// CanonicalHost returns a host as HostOf writes it: in lower case, and in punycode (RFC 5891). A
// text that is not a host is returned unchanged.
func CanonicalHost(text string) string {
	u, err := Parse("http://" + text + "/")
	if err != nil || u.RequestURI() != "/" {
		return text
	}
	if host := strings.ToLower(text); IsASCII(text) {
		return host // with a port, be it that of http
	}
	return u.Host()
}

// KeyOf converts bytes to a key; ok is false if they do not have a key's length, as in a damaged
// table.
func KeyOf(b []byte) (k Key, ok bool) {
	copy(k[:], b)
	return k, len(b) == len(k)
}

// Host returns the part for the host.
func (k Key) Host() HostKey { return HostKey(k[:6]) }

// Requisite returns the key under which the URL is known as a requisite of pages. The same URL may
// be a page too, and is fetched as both.
func (k Key) Requisite() Key {
	k[len(k)-1] ^= 0xa5
	return k
}

// String returns the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// IsZero reports whether k is the zero Key, which is the key of no URL.
func (k Key) IsZero() bool { return k == Key{} }

// HostKeyOf returns the key of a host as URL.Host writes it.
func HostKeyOf(host string) HostKey {
	var buf [256]byte // keeps the copy that Sum256 wants off the heap
	h := sha256.Sum256(append(buf[:0], host...))
	return HostKey(h[:6])
}

// The reasons for refusing a URL; a *ParseError wraps one of these.
var (
	ErrNotHTTP = errors.New("not an http or https URL")
	ErrNoHost  = errors.New("no host")
	ErrBadHost = errors.New("host not valid")
	ErrBadPort = errors.New("port not valid")
	ErrTooLong = fmt.Errorf("longer than %d bytes", MaxBytes)
)

// A ParseError is a text that is not the URL of a page. The message quotes the text, cut to
// 200 bytes.
type ParseError struct {
	Text string
	Err  error
}

// Error says what is wrong and quotes the text.
func (e *ParseError) Error() string { return fmt.Sprintf("%v: %q", e.Err, Shorten(e.Text)) }

// Unwrap returns the fault.
func (e *ParseError) Unwrap() error { return e.Err }

// Shorten cuts a text to 200 bytes for a message, between two runes.
func Shorten(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "..."
}

// String returns the canonical URL.
func (u URL) String() string { return u.s }

// IsZero reports whether u is the zero URL.
func (u URL) IsZero() bool { return u.s == "" }

// Scheme returns "http" or "https".
func (u URL) Scheme() string { return strings.TrimSuffix(u.s[:u.hostAt], "://") }

// Host returns the host, with its port if that is not the scheme's default. It identifies
// the URL's queue.
func (u URL) Host() string { return u.s[u.hostAt:u.pathAt] }

// Hostname returns the host without its port; an IPv6 address without brackets.
func (u URL) Hostname() string {
	h := u.s[u.hostAt:u.portAt]
	if h != "" && h[0] == '[' {
		return h[1 : len(h)-1]
	}
	return h
}

// Port returns the port in the URL, or "" for the scheme's default.
func (u URL) Port() string {
	host := u.Host()
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[i+1:]
	}
	return ""
}

// Origin returns scheme://host, the scope of a robots.txt.
func (u URL) Origin() string { return u.s[:u.pathAt] }

// RequestURI returns path and query, which rules of robots.txt are matched with.
func (u URL) RequestURI() string { return u.s[u.pathAt:] }

// Path returns the escaped path; it starts with a slash.
func (u URL) Path() string { return u.s[u.pathAt:u.queryAt] }

// Query returns the query without its question mark, "" if there is none.
func (u URL) Query() string { return strings.TrimPrefix(u.s[u.queryAt:], "?") }

// Domain returns the registrable domain by the public suffix list, or the host
// name itself if it has none: an IP address, localhost, a public suffix.
func (u URL) Domain() string {
	h := u.Hostname()
	if _, isAddr := u.addr(); isAddr {
		return h
	}
	d, err := publicsuffix.EffectiveTLDPlusOne(h)
	if err != nil {
		return h
	}
	return d
}

// DomainOf returns the registrable domain in the text of a URL, and the text itself if it is not
// the URL of a page.
func DomainOf(url string) string {
	u, err := Parse(url)
	if err != nil {
		return url
	}
	return u.Domain()
}

// Loopback reports whether the host is this machine by its text alone:
// 127.0.0.0/8, ::1, or localhost. No name is looked up.
func (u URL) Loopback() bool {
	if a, ok := u.addr(); ok {
		return a.Unmap().IsLoopback()
	}
	return u.Hostname() == "localhost"
}

// addr returns the host as an IP address if it is one. An IPv4 address ends in a digit and
// an IPv6 address is in brackets, which excludes most names quickly.
func (u URL) addr() (netip.Addr, bool) {
	h := u.Hostname()
	if h == "" || u.s[u.hostAt] != '[' && (h[len(h)-1] < '0' || '9' < h[len(h)-1]) {
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(h)
	return a, err == nil
}

// Key returns the URL's key.
func (u URL) Key() Key { return u.KeyOn(HostKeyOf(u.Host())) }

// KeyOn returns the URL's key, given that of its host. It is for many URLs of one host.
func (u URL) KeyOn(host HostKey) (k Key) {
	var buf [256]byte // keeps the copy that Sum256 wants off the heap
	s := sha256.Sum256(append(buf[:0], u.s...))
	copy(k[:6], host[:])
	copy(k[6:], s[:])
	return k
}

// MarshalText returns the canonical URL; it is empty for the zero URL.
func (u URL) MarshalText() ([]byte, error) { return []byte(u.s), nil }

// UnmarshalText parses a URL; an empty text is the zero URL.
func (u *URL) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*u = URL{}
		return nil
	}
	v, err := Parse(string(b))
	if err != nil {
		return err
	}
	*u = v
	return nil
}

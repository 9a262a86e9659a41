package weburl

import (
	"strings"
)

// SURT returns the URL in the sort-friendly form of web archives (Sort-friendly
// URI Reordering Transform): http://(org,example,www,)/path?query, with the
// labels of the host in reverse, its port after a colon before the bracket, and an IP
// address unchanged. https is written as http, since scopes hardly ever distinguish them.
func (u URL) SURT() string {
	host, port := u.Host(), ""
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host, port = host[:i], host[i:]
	}
	var b strings.Builder
	b.Grow(len(u.s) + len("s(,)"))
	b.WriteString("http://(")
	if _, isAddr := u.addr(); isAddr {
		b.WriteString(host)
	} else {
		for host != "" {
			i := strings.LastIndexByte(host, '.')
			b.WriteString(host[i+1:])
			b.WriteByte(',')
			host = host[:max(i, 0)]
		}
	}
	b.WriteString(port)
	b.WriteByte(')')
	b.WriteString(u.RequestURI())
	return b.String()
}

// EscapePrefix escapes the start of a path, or of a path and a query, like the canonical
// form of a URL.
func EscapePrefix(s string) []byte {
	var b []byte
	part := byte(inSegment)
	for {
		if b, s = appendEscaped(b, s, part); s == "" {
			return b
		}
		if s[0] == '?' {
			part = inQuery
		}
		b, s = append(b, s[0]), s[1:] // a slash, the question mark, or what never matches
	}
}

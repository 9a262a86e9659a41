package robots

import "strings"

// A rule is one Allow or Disallow line.
type rule struct {
	allow   bool
	line    int
	pattern string // as written, non-ASCII bytes escaped and escapes in upper case
	plain   string // the same without the escapes that mean their character
	value   string // the pattern as written
	text    string // the line as written, without its comment
	glob    bool   // pattern has a "*" or ends with "$"
}

func newRule(line int, allow bool, pattern, value string) rule {
	key := "Disallow: "
	if allow {
		key = "Allow: "
	}
	return rule{
		allow:   allow,
		line:    line,
		pattern: pattern,
		plain:   unescape(pattern),
		value:   value,
		text:    key + value,
		glob:    strings.Contains(pattern, "*") || strings.HasSuffix(pattern, "$"),
	}
}

// beats reports whether r decides if both match: the longer pattern does, and of equally long ones
// an Allow (RFC 9309, section 2.2.2).
func (r *rule) beats(other *rule) bool {
	if other == nil || len(r.pattern) != len(other.pattern) {
		return other == nil || len(r.pattern) > len(other.pattern)
	}
	return r.allow && !other.allow
}

// matches reports whether the rule matches a path, given as it is and as unescape returns it.
//
// According to RFC 9309 "%62" and "b" match each other, and "%20" and the space that a webmaster
// typed; in Google's parser they do not. Here they do for a Disallow and do not for an Allow, so
// that nothing is fetched that either reading forbids.
func (r *rule) matches(path, plain string) bool {
	if r.match(r.pattern, path) {
		return true
	}
	if r.allow || r.plain == r.pattern && plain == path {
		return false
	}
	return r.match(r.plain, plain)
}

func (r *rule) match(pattern, path string) bool {
	if !r.glob {
		return strings.HasPrefix(path, pattern)
	}
	return matchGlob(pattern, path)
}

// matchGlob reports whether pattern matches the start of path, or all of it if pattern ends with
// "$". A "*" matches any bytes. Each piece between stars is searched once, from the end of the
// first match of the piece before: an earlier match never excludes later ones, so there is no
// backtracking, and a hostile pattern costs no more than a plain search.
func matchGlob(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	first, rest, starred := strings.Cut(pattern, "*")
	path, ok := strings.CutPrefix(path, first)
	if !ok {
		return false
	}
	for starred {
		var piece string
		piece, rest, starred = strings.Cut(rest, "*")
		if !starred && whole {
			return strings.HasSuffix(path, piece)
		}
		i := strings.Index(path, piece)
		if i < 0 {
			return false
		}
		path = path[i+len(piece):]
	}
	return !whole || path == ""
}

const upperHex = "0123456789ABCDEF"

// escapePattern writes a pattern as canonical URLs are written: bytes beyond
// ASCII escaped, hexadecimal digits of escapes in upper case.
func escapePattern(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == '%' || r >= 0x80 }) {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 0x80:
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b = append(b, '%', upper(s[i+1]), upper(s[i+2]))
			i += 2
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// unescape undoes the escapes of ASCII characters that delimit nothing in a URL: those that RFC 3986, section 2.3, calls
// unreserved, and those that a URL may have escaped only, such as a space. The others get upper case.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
			b = append(b, s[i])
			continue
		}
		if c := unhex(s[i+1])<<4 | unhex(s[i+2]); c < 0x80 && strings.IndexByte(delimiters, c) < 0 {
			b = append(b, c)
		} else {
			b = append(b, '%', upper(s[i+1]), upper(s[i+2]))
		}
		i += 2
	}
	return string(b)
}

// delimiters are the characters whose escape is another character: the percent sign and those that RFC 3986, section 2.2, calls
// reserved, apart from brackets, which stand in no path and no query.
const delimiters = "%:/?#@!$&'()*+,;="

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'f' {
		return c - 0x20
	}
	return c
}

// unhex returns the value of a hexadecimal digit.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

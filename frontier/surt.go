package frontier

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
)

// SURT returns the address in the sort-friendly form of web archives (Sort-friendly
// URI Reordering Transform): http://(org,example,www,)/path?query, with the
// labels of the host turned around, its port behind a colon before the bracket
// and an IP address as it is. https is written as http, since scopes hardly ever
// tell them apart.
func (u URL) SURT() string { return "http://(" + u.surt() }

// surt is the form that Surts compares: all behind the opening bracket.
func (u URL) surt() string {
	host, port := u.Host(), ""
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host, port = host[:i], host[i:]
	}
	var b strings.Builder
	b.Grow(len(u.s))
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

// Surts are prefixes of SURT forms, each of which lets addresses in or keeps
// them out. The zero Surts has none. It may be used from many goroutines.
type Surts struct {
	prefixes []string // sorted; behind the opening bracket
	out      []bool
}

// Len returns the number of prefixes.
func (s *Surts) Len() int { return len(s.prefixes) }

// Match returns the longest prefix of u's SURT form, written as in a list, and
// whether it lets u in. The text is "" where there is none.
func (s *Surts) Match(u URL) (prefix string, in bool) {
	text := u.surt()
	for {
		// The last prefix that sorts at or before text, or else only one of what
		// both have in common can be a prefix of text.
		i, found := slices.BinarySearch(s.prefixes, text)
		if !found {
			i--
		}
		if i < 0 {
			return "", false
		}
		p := s.prefixes[i]
		if strings.HasPrefix(text, p) {
			return "http://(" + p, !s.out[i]
		}
		text = text[:common(text, p)]
	}
}

// common returns how many first bytes are equal.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// ReadSurts reads a list of prefixes, one a line, plain or gzipped. A line is a
// SURT prefix such as http://(org,example, or an address: http://example.org/docs/
// stands for what is below it on that host, and example.org without a path for
// the host and its subdomains. A line may begin with a plus; one that begins
// with a minus keeps addresses out. Of several prefixes of an address the longest
// decides. Blank lines and what follows a # at the start of a line or behind a
// space do not count. The error names every faulty line, up to twenty.
func ReadSurts(r io.Reader, name string) (*Surts, error) {
	text, err := plainText(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	type entry struct {
		prefix string
		out    bool
	}
	var all []entry
	var faults []error
	for n := 1; len(faults) < 20; n++ {
		line, err := nextLine(text)
		if err == io.EOF && len(line) == 0 {
			break
		}
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		entryText := strings.TrimSpace(withoutComment(string(line)))
		if entryText == "" {
			continue
		}
		rest, out := strings.CutPrefix(entryText, "-")
		prefix, err := surtPrefix(strings.TrimSpace(strings.TrimPrefix(rest, "+")))
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", name, n, err))
			continue
		}
		all = append(all, entry{prefix, out})
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	slices.SortStableFunc(all, func(a, b entry) int { return strings.Compare(a.prefix, b.prefix) })
	s := &Surts{}
	for i, e := range all {
		if i+1 < len(all) && all[i+1].prefix == e.prefix {
			continue // the last line that says something about a prefix counts
		}
		s.prefixes, s.out = append(s.prefixes, e.prefix), append(s.out, e.out)
	}
	return s, nil
}

// surtPrefix returns the prefix that a line stands for.
func surtPrefix(text string) (string, error) {
	for _, open := range []string{"http://(", "https://(", "("} {
		if rest, ok := strings.CutPrefix(strings.ToLower(text[:min(len(text), len(open))]), open); ok && rest == "" {
			return surtText(text[len(open):])
		}
	}
	u, err := ParseSeed(text)
	if err != nil {
		return "", fmt.Errorf("neither a SURT prefix such as http://(org,example, nor an address: %w", err)
	}
	prefix := u.surt()
	behind := text[strings.Index(text, "//")+1:] // from the second slash, or the whole text
	switch bare := u.RequestURI() == "/" && !strings.Contains(strings.TrimPrefix(behind, "/"), "/"); {
	case bare && strings.HasSuffix(prefix, ",)/"):
		return strings.TrimSuffix(prefix, ")/"), nil
	case bare: // with a port, or a number, it has no subdomains
		return strings.TrimSuffix(prefix, "/"), nil
	}
	return prefix, nil
}

// surtText checks what a list has behind the opening bracket and writes it as surt
// does: the host in lower case, with a comma behind its last label, which indexes of
// archives leave out; the path escaped.
func surtText(text string) (string, error) {
	host, rest, whole := strings.Cut(text, ")")
	host = strings.ToLower(host)
	switch {
	case host == "" || strings.ContainsAny(host, " /?#"):
		return "", fmt.Errorf("SURT prefix %q has no host", cut("http://("+text))
	case !isASCII(host):
		return "", fmt.Errorf("SURT prefix %q has a host that is not ASCII: write it as crawl url does, such as xn--bcher-kva", cut("http://("+text))
	case !whole:
		return host, nil
	}
	name, port := host, ""
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		name, port = host[:i], host[i:]
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err != nil && !strings.HasSuffix(name, ",") {
		name += ","
	}
	return name + port + ")" + string(escapedPrefix(rest)), nil
}

// escapedPrefix escapes what the beginning of a path, and of a query behind it, has
// of bytes that canonical addresses escape.
func escapedPrefix(s string) []byte {
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

package seeds

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/fetch/feed"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// Surts are prefixes of SURT forms, each of which includes or excludes URLs. The zero Surts
// has none. It may be used from many goroutines.
type Surts struct {
	prefixes []string // sorted; without http://(
	out      []bool
}

// Len returns the number of prefixes.
func (s *Surts) Len() int { return len(s.prefixes) }

// Match returns the longest prefix of u's SURT form, written as in a list, and whether it
// includes u. The prefix is "" if none matches.
func (s *Surts) Match(u weburl.URL) (prefix string, in bool) {
	text := u.SURT()[len("http://("):]
	for {
		// Either the last prefix that sorts at or before text is a prefix of it, or only
		// a prefix of what both have in common can be one.
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
		text = text[:commonPrefix(text, p)]
	}
}

// commonPrefix returns how many bytes at the start are equal.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// ReadSurts reads a list of prefixes, one a line, plain or gzipped. A line is a SURT prefix
// such as http://(org,example, or a URL: http://example.org/docs/ means everything below it
// on that host, and example.org without a path means the host and its subdomains. A line
// may start with a plus; one that starts with a minus excludes URLs. The longest prefix of
// a URL decides. Blank lines and comments, which start with a # at the start of a line or
// after a space, are ignored. The error names every faulty line, up to twenty.
func ReadSurts(r io.Reader, name string) (*Surts, error) {
	text, err := feed.Open(r)
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
		line, err := feed.NextLine(text)
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
			continue // the last line with a prefix counts
		}
		s.prefixes, s.out = append(s.prefixes, e.prefix), append(s.out, e.out)
	}
	return s, nil
}

// surtPrefix returns the prefix that a line means.
func surtPrefix(text string) (string, error) {
	for _, open := range []string{"http://(", "https://(", "("} {
		if rest, ok := strings.CutPrefix(strings.ToLower(text[:min(len(text), len(open))]), open); ok && rest == "" {
			return surtText(text[len(open):])
		}
	}
	u, err := Parse(text)
	if err != nil {
		return "", fmt.Errorf("neither a SURT prefix such as http://(org,example, nor a URL: %w", err)
	}
	prefix := u.SURT()[len("http://("):]
	behind := text[strings.Index(text, "//")+1:] // from the second slash, or the whole text
	switch bare := u.RequestURI() == "/" && !strings.Contains(strings.TrimPrefix(behind, "/"), "/"); {
	case bare && strings.HasSuffix(prefix, ",)/"):
		return strings.TrimSuffix(prefix, ")/"), nil
	case bare: // with a port, or a number, it has no subdomains
		return strings.TrimSuffix(prefix, "/"), nil
	}
	return prefix, nil
}

// surtText checks the part of a prefix after the opening bracket and writes it in the form
// of URL.SURT: the host in lower case with a comma after its last label, which indexes of
// archives leave out, and the path escaped.
func surtText(text string) (string, error) {
	host, rest, whole := strings.Cut(text, ")")
	host = strings.ToLower(host)
	switch {
	case host == "" || strings.ContainsAny(host, " /?#"):
		return "", fmt.Errorf("SURT prefix %q has no host", weburl.Shorten("http://("+text))
	case !weburl.IsASCII(host):
		return "", fmt.Errorf("SURT prefix %q has a host that is not ASCII: write it as crawl url does, such as xn--bcher-kva", weburl.Shorten("http://("+text))
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
	return name + port + ")" + string(weburl.EscapePrefix(rest)), nil
}

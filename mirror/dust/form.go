package dust

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/splitmix"
)

// maxForms bounds the forms under which a URL is looked up.
const maxForms = 8

// missing follows the index of a segment that one of two URLs does not have.
const missing = "?"

// maxArg bounds the argument of a rule, in bytes.
const maxArg = 64

// parts are the parts of a URL.
type parts struct {
	scheme, host string
	www          bool
	base         string   // the path without the parts below, in its own case
	lower        string   // base in lower case
	view         string   // the segment or suffix of another view, such as print; "": none
	index        string   // the index file's name; "": none
	slash        bool     // the path ends in a slash
	ext          string   // the extension of an HTML page; "": none
	generated    []int    // indexes, from 1, of the segments of base that look generated
	pairs        []string // parameters of the query, in their order
}

// viewMarks are segments and suffixes that name another view of a page.
var viewMarks = []string{"print", "printable", "printer", "printview", "amp"}

func splitURL(u weburl.URL) parts {
	p := parts{scheme: u.Scheme(), host: u.Host()}
	p.host, p.www = strings.CutPrefix(p.host, "www.")
	if p.www && !strings.Contains(p.host, ".") {
		p.host, p.www = u.Host(), false // www is the domain itself, as in www.example
	}
	path := u.Path()
	path, p.view = withoutView(path)
	if len(path) > 1 && path[len(path)-1] == '/' {
		path, p.slash = path[:len(path)-1], true
	}
	at := strings.LastIndexByte(path, '/')
	dir, file := path[:at], path[at+1:]
	if ending := weburl.HTMLEnding(file); !p.slash && ending != "" {
		switch stem := strings.TrimSuffix(file, ending); strings.ToLower(stem) {
		case "index", "default", "home": // two more than weburl.WithoutIndex, since a rule has to be proven
			p.index, path, p.slash = file, dir, true
		default:
			p.ext, path = ending, path[:at+1+len(stem)]
		}
	}
	if path == "" || path == "/" {
		path, p.slash = "", true
	}
	p.base, p.lower = path, strings.ToLower(path)
	n := 0
	for segment := range strings.SplitSeq(strings.TrimPrefix(p.base, "/"), "/") {
		if n++; looksGenerated(segment) && len(p.generated) < 2 {
			p.generated = append(p.generated, n)
		}
	}
	if q := u.Query(); q != "" {
		p.pairs = strings.Split(q, "&")
	}
	return p
}

// withoutView removes the first view mark from a path.
func withoutView(path string) (plain, mark string) {
	lower := strings.ToLower(path)
	if !strings.Contains(lower, "print") && !strings.Contains(lower, "amp") {
		return path, "" // most paths
	}
	for _, m := range viewMarks {
		if i := strings.Index(lower, "/"+m+"/"); i >= 0 {
			return path[:i] + path[i+1+len(m):], m
		}
		if head, ok := strings.CutSuffix(lower, "/"+m); ok && head != "" {
			return path[:len(head)], m
		}
		for _, sign := range []string{"-", "_", "."} {
			i := strings.LastIndex(lower, sign+m)
			if i < 1 || lower[i-1] == '/' {
				continue
			}
			if rest := lower[i+1+len(m):]; rest == "" || rest[0] == '.' && !strings.Contains(rest, "/") {
				return path[:i] + path[i+1+len(m):], m
			}
		}
	}
	return path, ""
}

// looksGenerated reports whether a segment looks like an id: at least 12 letters and digits, with
// at least 3 of each.
func looksGenerated(s string) bool {
	if len(s) < 12 || len(s) > 128 {
		return false
	}
	digits, letters := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			letters++
		case c == '(' || c == ')' || c == '=' || c == ';':
		default:
			return false
		}
	}
	return digits >= 3 && letters >= 3
}

func nameOf(pair string) string { name, _, _ := strings.Cut(pair, "="); return name }

// names are the distinct names of the parameters, in alphabetical order.
func (p *parts) names() []string {
	names := make([]string, 0, len(p.pairs))
	for _, pair := range p.pairs {
		names = append(names, nameOf(pair))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// hash returns the hash of the URL without some parameters and a segment.
func (p *parts) hash(without func(pair string) bool, segment int) uint64 {
	h := fnv.New64a()
	h.Write([]byte(p.host))
	if segment == 0 {
		h.Write([]byte(p.lower))
	} else {
		n := 0
		for s := range strings.SplitSeq(strings.TrimPrefix(p.lower, "/"), "/") {
			if n++; n == segment {
				continue
			}
			h.Write([]byte{'/'})
			h.Write([]byte(s))
		}
	}
	var kept []string
	for _, pair := range p.pairs {
		if without == nil || !without(pair) {
			kept = append(kept, pair)
		}
	}
	slices.Sort(kept)
	for _, pair := range kept {
		h.Write([]byte{'&'})
		h.Write([]byte(pair))
	}
	return splitmix.Finish(h.Sum64())
}

// exactForm returns Forms.Exact alone.
func exactForm(u weburl.URL) uint64 {
	p := splitURL(u)
	return p.hash(nil, 0)
}

// Forms are the hashes by which URLs that may be equivalent are found.
type Forms struct {
	Exact   uint64   // in lower case, parameters sorted, without index file, slash, extension, view, scheme and www.
	Dropped []uint64 // in addition without one or more parameters, or without a generated segment
	Page    uint64   // without all parameters and generated segments
}

// FormsOf returns the forms of a URL, at most eight.
func FormsOf(u weburl.URL) Forms {
	p := splitURL(u)
	all := func(string) bool { return true }
	f := Forms{Exact: p.hash(nil, 0)}
	segment := 0
	if len(p.generated) > 0 {
		segment = p.generated[0]
	}
	f.Page = p.hash(all, segment)
	add := func(h uint64) {
		if len(f.Dropped) < maxForms-1 && !slices.Contains(f.Dropped, h) {
			f.Dropped = append(f.Dropped, h)
		}
	}
	for _, at := range p.generated {
		add(p.hash(nil, at))
	}
	names := p.names()
	if len(names) > 1 {
		add(p.hash(all, 0))
	}
	for _, n := range names {
		add(p.hash(func(pair string) bool { return nameOf(pair) == n }, 0))
	}
	if len(names) == 3 {
		for _, n := range names {
			add(p.hash(func(pair string) bool { return nameOf(pair) != n }, 0))
		}
	}
	return f
}

// A Difference is one thing in which two URLs differ, as rules each of which explains it.
type Difference []Rule

// Compare returns the differences of two URLs, and false if rules cannot explain all of them. The
// rules have the host's scope.
func Compare(u, v weburl.URL) ([]Difference, bool) {
	a, b := splitURL(u), splitURL(v)
	if a.host != b.host {
		return nil, false
	}
	var ds []Difference
	add := func(k Kind, arg string) { ds = append(ds, Difference{{k, a.host, arg}}) }
	if a.scheme != b.scheme {
		add(Scheme, "")
	}
	if a.www != b.www {
		add(WWW, "")
	}
	if a.base != b.base {
		d, ok := pathDifferences(&a, &b)
		if !ok {
			return nil, false
		}
		ds = append(ds, d...)
	}
	if a.view != b.view {
		add(View, either(a.view, b.view))
	}
	if a.index != b.index {
		add(Index, strings.ToLower(either(a.index, b.index)))
	}
	if a.slash != b.slash {
		add(Slash, "")
	}
	if a.ext != b.ext {
		x, y := strings.ToLower(a.ext), strings.ToLower(b.ext)
		add(Extension, min(x, y)+"|"+max(x, y))
	}
	q, ok := queryDifferences(&a, &b)
	return append(ds, q...), ok
}

// either returns the text that is not empty, or both with | between.
func either(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return min(a, b) + "|" + max(a, b)
}

// pathDifferences returns the differences of two paths.
func pathDifferences(a, b *parts) (ds []Difference, ok bool) {
	if a.lower == b.lower {
		return []Difference{{{Case, a.host, ""}}}, true
	}
	x, y := segmentsOf(a.lower), segmentsOf(b.lower)
	switch {
	case len(x) == len(y)+1:
		ds, ok = missingSegment(a, x, y)
	case len(y) == len(x)+1:
		ds, ok = missingSegment(b, y, x)
	case len(x) == len(y):
		ds, ok = segmentDifferences(a, b, x, y)
	}
	if !ok {
		var d Difference
		d, ok = prefixDifference(a, b)
		ds = []Difference{d}
	}
	return ds, ok
}

// missingSegment returns the generated segment that only the longer of two paths has.
func missingSegment(a *parts, long, short []string) ([]Difference, bool) {
	for _, at := range a.generated {
		if slices.Equal(long[:at-1], short[:at-1]) && slices.Equal(long[at:], short[at-1:]) {
			return []Difference{{{Segment, a.host, strconv.Itoa(at) + missing}}}, true
		}
	}
	return nil, false
}

// segmentDifferences returns the generated segments in which two paths differ, and false if they
// differ in other segments too.
func segmentDifferences(a, b *parts, x, y []string) (ds []Difference, ok bool) {
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if !slices.Contains(a.generated, i+1) || !slices.Contains(b.generated, i+1) {
			return nil, false
		}
		ds = append(ds, Difference{{Segment, a.host, strconv.Itoa(i + 1)}})
	}
	return ds, true
}

// queryDifferences returns the differences of two queries.
func queryDifferences(a, b *parts) ([]Difference, bool) {
	if slices.Equal(a.pairs, b.pairs) {
		return nil, true
	}
	names := append(a.names(), b.names()...)
	slices.Sort(names)
	var ds []Difference
	for _, n := range slices.Compact(names) {
		x, y := valuesOf(a.pairs, n), valuesOf(b.pairs, n)
		if slices.Equal(x, y) {
			continue
		}
		if len(n) > maxArg || len(ds) == maxForms {
			return nil, false
		}
		d := Difference{{Param, a.host, n}}
		if only := append(x, y...); len(only) == 1 && len(only[0]) <= maxArg {
			d = append(d, Rule{Value, a.host, only[0]})
		}
		ds = append(ds, d)
	}
	if len(ds) == 0 {
		ds = append(ds, Difference{{Order, a.host, ""}})
	}
	return ds, true
}

func valuesOf(pairs []string, name string) (vs []string) {
	for _, p := range pairs {
		if nameOf(p) == name {
			vs = append(vs, p)
		}
	}
	return vs
}

// Host returns the scope of a URL's host: its name without www.
func Host(u weburl.URL) string {
	h := u.Host()
	if bare, ok := strings.CutPrefix(h, "www."); ok && strings.Contains(bare, ".") {
		return bare
	}
	return h
}

// Template returns the scope of URLs with the same pattern as this one: the host and the path with
// {n} for numbers, {h} for generated segments, and {s} for the last segment. Only the first four
// segments of a long path count.
func Template(u weburl.URL) string {
	p := splitURL(u)
	return p.template()
}

func (p *parts) template() string {
	var b strings.Builder
	b.WriteString(p.host)
	segments := strings.Split(strings.TrimPrefix(p.lower, "/"), "/")
	for i, s := range segments {
		b.WriteByte('/')
		switch {
		case i == 4:
			b.WriteString("...")
			return b.String()
		case s == "":
		case isNumber(s):
			b.WriteString("{n}")
		case looksGenerated(s) || len(s) > maxArg:
			b.WriteString("{h}")
		case i == len(segments)-1 && i > 0:
			b.WriteString("{s}")
		default:
			b.WriteString(s)
		}
	}
	return b.String()
}

func isNumber(s string) bool {
	for i := range len(s) {
		if (s[i] < '0' || '9' < s[i]) && s[i] != '-' {
			return false
		}
	}
	return s != ""
}

// without returns the form of a URL without the parameters and segments for which drop returns
// true; ok is false if the URL has none of them.
func (p *parts) without(drop func(Rule) bool) (form uint64, ok bool) {
	segment := 0
	for _, at := range p.generated {
		if n := strconv.Itoa(at); drop(Rule{Segment, p.host, n}) || drop(Rule{Segment, p.host, n + missing}) {
			segment, ok = at, true
			break
		}
	}
	form = p.hash(func(pair string) bool {
		gone := drop(Rule{Param, p.host, nameOf(pair)}) || len(pair) <= maxArg && drop(Rule{Value, p.host, pair})
		ok = ok || gone
		return gone
	}, segment)
	return form, ok
}

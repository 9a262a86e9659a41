package mirror

import "strings"

// A Mapping says at which path of another site the document at a path of one site is: the
// prefix From becomes To, and the extension FromExt of the last segment becomes ToExt.
// Prefixes start and end with a slash. Extensions start with a dot; one is empty if files
// have none on that side, and both are empty if extensions do not change.
type Mapping struct {
	From    string `json:"from"`
	To      string `json:"to"`
	FromExt string `json:"from_ext,omitempty"`
	ToExt   string `json:"to_ext,omitempty"`
}

// identity is the mapping of sites with the same paths.
var identity = Mapping{From: "/", To: "/"}

// Apply maps a path with its query. It reports false for a path outside the
// mapping.
func (m Mapping) Apply(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, m.From)
	if !ok {
		return "", false
	}
	if m.FromExt == m.ToExt {
		return m.To + rest, true
	}
	file, query := cutQuery(rest)
	if stem, ext := SplitExt(file); ext == m.FromExt && stem != "" && !strings.HasSuffix(stem, "/") {
		file = stem + m.ToExt
	}
	return m.To + file + query, true
}

// Reverse returns the mapping in the other direction.
func (m Mapping) Reverse() Mapping {
	return Mapping{From: m.To, To: m.From, FromExt: m.ToExt, ToExt: m.FromExt}
}

// within narrows a mapping to a folder below its prefix; dir is empty or ends with a
// slash.
func (m Mapping) within(dir string) Mapping {
	m.From, m.To = m.From+dir, m.To+dir
	return m
}

// String writes the mapping as a reader would: /a/*.html -> /b/*.htm.
func (m Mapping) String() string {
	return m.From + "*" + m.FromExt + " -> " + m.To + "*" + m.ToExt
}

// apply maps a path by the first mapping that covers it: mappings are sorted by the length
// of From, the longest first.
func apply(ms []Mapping, path string) (string, bool) {
	for _, m := range ms {
		if p, ok := m.Apply(path); ok {
			return p, true
		}
	}
	return "", false
}

func cutQuery(path string) (file, query string) {
	if i := strings.IndexByte(path, '?'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// SplitExt splits the extension, with its dot, off a file's path. An extension has
// one to five letters and digits and starts with a letter: v1.2 has none.
func SplitExt(file string) (stem, ext string) {
	i := strings.LastIndexByte(file, '.')
	if i <= strings.LastIndexByte(file, '/')+1 || len(file)-i > 6 || len(file)-i < 2 {
		return file, ""
	}
	for j := i + 1; j < len(file); j++ {
		c := file[j] | 0x20
		letter, digit := 'a' <= c && c <= 'z', '0' <= file[j] && file[j] <= '9'
		if !letter && (j == i+1 || !digit) {
			return file, ""
		}
	}
	return file[:i], file[i:]
}

// tail is the hash of the last two segments of a path, without extension, and
// of its query: FNV-1a, mixed by the last step of MurmurHash3. It reports false for
// paths that nearly every site has.
func tail(path string) (uint64, bool) {
	t := tailOf(path)
	h := uint64(14695981039346656037)
	for i := range len(t) {
		h = (h ^ uint64(t[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33, t != "" && t != "index"
}

// tailOf returns what the tail is a hash of.
func tailOf(path string) string {
	file, query := cutQuery(path)
	stem, _ := SplitExt(strings.TrimPrefix(file, "/"))
	dir := strings.HasSuffix(stem, "/")
	stem = strings.TrimSuffix(stem, "/")
	if i := strings.LastIndexByte(stem, '/'); i >= 0 {
		if j := strings.LastIndexByte(stem[:i], '/'); j >= 0 {
			stem = stem[j+1:]
		}
	}
	if dir && stem != "" {
		stem += "/"
	}
	return stem + query
}

// MappingBetween returns the mapping under which the path a becomes b, with the longest
// end in common; ok is false where not even their names agree.
func MappingBetween(a, b string) (m Mapping, ok bool) {
	fileA, queryA := cutQuery(a)
	fileB, queryB := cutQuery(b)
	if queryA != queryB {
		return m, false
	}
	stemA, extA := SplitExt(fileA)
	stemB, extB := SplitExt(fileB)
	i, j := len(stemA), len(stemB)
	for i > 0 && j > 0 && stemA[i-1] == stemB[j-1] {
		i--
		j--
	}
	// Back to the edge of a segment that both have.
	same := stemA[i:]
	edge := strings.IndexByte(same, '/')
	if edge < 0 || edge+1 == len(same) && len(stemA) > 1 && len(stemB) > 1 {
		return m, false
	}
	m.From, m.To = stemA[:i+edge+1], stemB[:j+edge+1]
	if extA != extB {
		m.FromExt, m.ToExt = extA, extB
	}
	return m, true
}

// Wider widens a mapping by a folder that both its sides have; ok is false where
// they have none in common.
func (m Mapping) Wider() (wider Mapping, ok bool) {
	from, to := strings.TrimSuffix(m.From, "/"), strings.TrimSuffix(m.To, "/")
	i, j := strings.LastIndexByte(from, '/'), strings.LastIndexByte(to, '/')
	if i < 0 || j < 0 || from[i:] != to[j:] {
		return m, false
	}
	m.From, m.To = from[:i+1], to[:j+1]
	return m, true
}

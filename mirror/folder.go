package mirror

import (
	"cmp"
	"slices"
	"strings"
)

// maxFolders bounds the folders that a relation names, and the depth at which
// they are looked for.
const (
	maxFolders     = 8
	maxFolderDepth = 4
	leastInFolder  = 8 // documents: of many folders of four some agree by chance
)

// folders looks for folders that both sites have where the whole does not agree,
// and narrows the relation to them. It reports false where there are none.
func folders(rel *Relation, ab, ba *trial, need float64) bool {
	outcomes := slices.Concat(ab.outcomes, ba.outcomes)
	var narrow []Mapping
	for _, m := range rel.Maps {
		var in []outcome
		for _, o := range outcomes {
			if path, ok := strings.CutPrefix(o.path, m.From); ok {
				o.path = path
				in = append(in, o)
			}
		}
		for _, dir := range shared(in, "", need, 0) {
			narrow = append(narrow, m.within(dir))
		}
	}
	if len(narrow) == 0 || len(narrow) > maxFolders {
		return false
	}
	sortMaps(narrow)
	side := func(t *trial) Interval {
		same, n := 0, 0
		for _, o := range t.outcomes {
			if _, ok := apply(narrow, o.path); !ok {
				continue
			}
			n++
			if o.same {
				same++
			}
		}
		return intervalOf(float64(same), n)
	}
	a, b := side(ab), side(ba)
	if max(a.Low, b.Low) <= chance {
		return false
	}
	rel.Maps, rel.AB, rel.BA = narrow, a, b
	return true
}

// shared returns the largest folders, relative to the prefix of the mapping, in
// which nearly all documents agree.
func shared(os []outcome, dir string, need float64, depth int) []string {
	same, found := 0, 0
	for _, o := range os {
		if o.same {
			same++
		}
		if o.found {
			found++
		}
	}
	if same < leastInFolder || depth > maxFolderDepth {
		return nil
	}
	if in := intervalOf(float64(same), len(os)); in.Share >= mostly && in.Low > chance && float64(same) >= need*float64(found) {
		return []string{dir + common(os, len(dir))}
	}
	below := make(map[string][]outcome)
	for _, o := range os {
		file, _ := cutQuery(o.path)
		if i := strings.IndexByte(file[len(dir):], '/'); i >= 0 {
			sub := o.path[:len(dir)+i+1]
			below[sub] = append(below[sub], o)
		}
	}
	var out []string
	for sub, os := range below {
		out = append(out, shared(os, sub, need, depth+1)...)
	}
	slices.Sort(out)
	return out
}

// common returns the folders, behind the first bytes, that all paths which agree
// have in common.
func common(os []outcome, from int) string {
	first := true
	prefix := ""
	for _, o := range os {
		if !o.same {
			continue
		}
		file, _ := cutQuery(o.path)
		dir := file[from : strings.LastIndexByte(file, '/')+1]
		if len(file) < from || strings.LastIndexByte(file, '/')+1 < from {
			dir = ""
		}
		if first {
			prefix, first = dir, false
			continue
		}
		n := 0
		for n < len(prefix) && n < len(dir) && prefix[n] == dir[n] {
			n++
		}
		prefix = prefix[:strings.LastIndexByte(prefix[:n], '/')+1]
	}
	return prefix
}

func sortMaps(ms []Mapping) {
	slices.SortFunc(ms, func(a, b Mapping) int {
		return cmp.Or(cmp.Compare(len(b.From), len(a.From)), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
}

// vote returns the mappings that most of what two sites share speaks for: a
// common tail is one vote, a common fingerprint two. The first has the most
// votes; others count with a fifth of all, since a site may carry several trees
// of another in several places.
func (r *survey) vote(i, j int) []Mapping {
	tails := make(map[uint64]*Document)
	prints := make(map[uint64]*Document)
	for k := range r.docs[j] {
		d := &r.docs[j][k]
		if h, ok := tail(d.Path); ok {
			tails[h] = d
		}
		prints[d.fingerprint()] = d
	}
	type prefixes struct{ from, to string }
	votes := make(map[prefixes]int)
	exts := make(map[prefixes]map[[2]string]int)
	total := 0
	cast := func(a, b *Document, n int) {
		m, ok := between(a.Path, b.Path)
		if !ok {
			return
		}
		p := prefixes{m.From, m.To}
		votes[p] += n
		total += n
		if exts[p] == nil {
			exts[p] = make(map[[2]string]int)
		}
		exts[p][[2]string{m.FromExt, m.ToExt}] += n
	}
	for k := range r.docs[i] {
		d := &r.docs[i][k]
		if h, ok := tail(d.Path); ok && tails[h] != nil {
			cast(d, tails[h], 1)
		}
		if b := prints[d.fingerprint()]; b != nil {
			cast(d, b, 2)
		}
	}
	var ps []prefixes
	for p, n := range votes {
		if n*5 >= total {
			ps = append(ps, p)
		}
	}
	// The most votes first; of equal ones the shorter prefixes, which say more.
	slices.SortFunc(ps, func(a, b prefixes) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(len(a.from)+len(a.to), len(b.from)+len(b.to)),
			cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	var ms []Mapping
	taken := make(map[string]bool)
	for _, p := range ps {
		if taken[p.from] || taken["to "+p.to] {
			continue // of one folder the best mapping counts
		}
		taken[p.from], taken["to "+p.to] = true, true
		m := Mapping{From: p.from, To: p.to}
		m.FromExt, m.ToExt = extension(exts[p])
		ms = append(ms, m)
	}
	sortMaps(ms)
	return ms
}

// extension returns the change of extension that at least a fifth of the votes
// for a mapping are for.
func extension(votes map[[2]string]int) (from, to string) {
	total, best := 0, 0
	for e, n := range votes {
		total += n
		if e[0] != e[1] && e[0] != "" && (n > best || n == best && e[0] < from) {
			best, from, to = n, e[0], e[1]
		}
	}
	if best*5 < total {
		return "", ""
	}
	return from, to
}

// onlyVersions reports whether what the mappings change looks like a version, so
// that the two trees are rather two versions than copies.
func onlyVersions(ms []Mapping) bool {
	if len(ms) != 1 || ms[0].From == ms[0].To {
		return false
	}
	a, b := strings.Split(ms[0].From, "/"), strings.Split(ms[0].To, "/")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (!version(a[i]) || !version(b[i])) {
			return false
		}
	}
	return true
}

// version reports whether a segment has a digit, or is one of the words that
// stand for a version.
func version(segment string) bool {
	switch strings.ToLower(segment) {
	case "latest", "stable", "dev", "devel", "main", "master", "current", "next", "nightly", "edge":
		return true
	}
	return strings.ContainsAny(segment, "0123456789")
}

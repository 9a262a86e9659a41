package mirror

import (
	"cmp"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// The bounds of shared folders: how many a relation names, and how deep they are looked
// for.
const (
	maxFolders     = 8
	maxFolderDepth = 4
	leastInFolder  = 8 // documents: among many folders of four some agree by chance
)

// folders looks for folders that both sites have although the sites as a whole differ,
// and narrows the relation to them. It reports false if there are none.
func folders(rel *Relation, ab, ba *lookups, need float64) bool {
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
	unequal, at := 0, ""
	side := func(of string, t *lookups) (like, alike Interval) {
		same, equal, n := 0, 0, 0
		for _, o := range t.outcomes {
			if _, ok := apply(narrow, o.path); !ok {
				continue
			}
			n++
			if o.same {
				same++
			}
			switch {
			case o.equal:
				equal++
			case o.found:
				unequal, at = unequal+1, of+o.path
			}
		}
		return intervalOf(float64(same), n), intervalOf(float64(equal), n)
	}
	a, equalA := side(rel.A, ab)
	b, equalB := side(rel.B, ba)
	if max(a.Low, b.Low) <= chanceShare {
		return false
	}
	rel.Maps, rel.AB, rel.BA = narrow, a, b
	rel.equal, rel.Unequal, rel.UnequalAt = [2]Interval{equalA, equalB}, unequal, at
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
	if in := intervalOf(float64(same), len(os)); in.Share >= carriedShare && in.Low > chanceShare && float64(same) >= need*float64(found) {
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

// common returns the folders, after the first from bytes, that all documents which agree
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

// vote returns the mappings that most of what two sites share supports: a common tail is
// one vote, a common fingerprint two, for the same path if both have it there. The first has the most votes. Others count if they
// have a fifth of all votes, since a site may have several trees of another in several
// places.
func (r *analysis) vote(i, j int) []Mapping {
	tails := make(map[uint64]*Document)
	prints := make(map[uint64]*Document)
	paths := make(map[string]*Document)
	for k := range r.docs[j] {
		d := &r.docs[j][k]
		if h, ok := tail(d.Path); ok {
			tails[h] = d
		}
		prints[d.fingerprint()], paths[d.Path] = d, d
	}
	type prefixes struct{ from, to string }
	votes := make(map[prefixes]int)
	exts := make(map[prefixes]map[[2]string]int)
	total := 0
	cast := func(a, b *Document, n int) {
		m, ok := MappingBetween(a.Path, b.Path)
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
		b := prints[d.fingerprint()]
		// What a site has twice, in two languages or versions, is on a copy of the site twice, too.
		if c := paths[d.Path]; c != nil && c.fingerprint() == d.fingerprint() {
			b = c
		}
		if b != nil {
			cast(d, b, 2)
		}
	}
	var ps []prefixes
	for p, n := range votes {
		if n*5 >= total {
			ps = append(ps, p)
		}
	}
	// The most votes first; with equal votes the shorter prefixes, which cover more.
	slices.SortFunc(ps, func(a, b prefixes) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(len(a.from)+len(a.to), len(b.from)+len(b.to)),
			cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	var ms []Mapping
	taken := make(map[string]bool)
	for _, p := range ps {
		if taken[p.from] || taken["to "+p.to] {
			continue // only the best mapping of a folder counts
		}
		taken[p.from], taken["to "+p.to] = true, true
		m := Mapping{From: p.from, To: p.to}
		m.FromExt, m.ToExt = mostVotedExtension(exts[p])
		ms = append(ms, m)
	}
	sortMaps(ms)
	return ms
}

// mostVotedExtension returns the change of extension that has most votes of the files with
// that extension. Files with other extensions have no vote: a site may have more folders
// and downloads than pages.
func mostVotedExtension(votes map[[2]string]int) (from, to string) {
	best := 0
	for e, n := range votes {
		if e[0] == e[1] || e[0] == "" {
			continue
		}
		stays := 0
		for other, m := range votes {
			if other[0] == e[0] && other != e {
				stays += m
			}
		}
		if n > stays && (n > best || n == best && e[0] < from) {
			best, from, to = n, e[0], e[1]
		}
	}
	return from, to
}

// onlyVersions reports whether the mappings change only what looks like a version. Then
// the two trees are probably two versions and not copies.
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
	return weburl.IsEdition(segment) || strings.ContainsAny(segment, "0123456789")
}

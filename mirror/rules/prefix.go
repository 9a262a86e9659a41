package rules

import (
	"slices"
	"strings"

	"gatecrawl/frontier"
)

const (
	// maxPrefix bounds the folders in which two addresses of one page differ.
	maxPrefix = 3

	// maxPrefixes bounds the prefix rules of a host, and so the look-ups for an
	// address there: two for each.
	maxPrefixes = 8

	// anySegment stands in a prefix rule for what both prefixes have in common.
	anySegment = "{s}"
)

// segmentsOf are the segments of a path, counted as parts.drawn counts them.
func segmentsOf(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(strings.TrimPrefix(path, "/"), "/")
}

// prefixApart returns the rule by which two paths are one that end alike and begin
// in other folders. Folders that are numbers or drawn are no prefix: each page would
// have a rule of its own.
func prefixApart(a, b *parts) (Difference, bool) {
	x, y := segmentsOf(a.lower), segmentsOf(b.lower)
	n := 0
	for n < min(len(x), len(y)) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	if x, y = x[:len(x)-n], y[:len(y)-n]; n == 0 || max(len(x), len(y)) > maxPrefix {
		return nil, false
	}
	for _, s := range slices.Concat(x, y) {
		if isNumber(s) || isDrawn(s) || strings.Contains(s, "|") {
			return nil, false
		}
	}
	alike(x, y)
	from, to := prefixText(x), prefixText(y)
	arg := min(from, to) + "|" + max(from, to)
	if len(arg) > maxArg {
		return nil, false
	}
	return Difference{{Prefix, a.host, arg}}, true
}

// alike puts anySegment in the place of the first name that both prefixes have, in
// one of them perhaps behind a tilde: /~ann and /people/ann.
func alike(x, y []string) {
	for i, s := range x {
		name := strings.TrimPrefix(s, "~")
		for j, t := range y {
			if name != "" && name == strings.TrimPrefix(t, "~") {
				x[i] = strings.TrimSuffix(s, name) + anySegment
				y[j] = strings.TrimSuffix(t, name) + anySegment
				return
			}
		}
	}
}

func prefixText(segments []string) string {
	if len(segments) == 0 {
		return ""
	}
	return "/" + strings.Join(segments, "/")
}

// swap returns a path with one prefix in the place of another; false: it does not
// begin with that.
func swap(path, from, to string) (string, bool) {
	rest, name := path, ""
	for _, want := range segmentsOf(from) {
		segment, after, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
		if head, _, any := strings.Cut(want, anySegment); any {
			if len(segment) <= len(head) || !strings.EqualFold(segment[:len(head)], head) {
				return "", false
			}
			name = segment[len(head):]
		} else if !strings.EqualFold(segment, want) {
			return "", false
		}
		rest = "/" + after
	}
	if rest == "/" {
		return "", false // the folder itself is no page below it
	}
	return strings.Replace(to, anySegment, name, 1) + rest, true
}

// Swapped returns the addresses that prefix rules which may do something take for
// the given one, those too of rules that may not yet where all is set.
func (b *Book) Swapped(u frontier.URL, all bool) (vs []frontier.URL) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if len(b.prefixes) == 0 {
		return nil
	}
	for _, r := range b.prefixes[hostHash(Host(u))] {
		if !all && b.stats[r.ID()].Tier(Prefix) == Watch {
			continue
		}
		x, y, _ := strings.Cut(r.Arg, "|")
		for _, way := range [][2]string{{x, y}, {y, x}} {
			path, ok := swap(u.Path(), way[0], way[1])
			if !ok {
				continue
			}
			if q := u.Query(); q != "" {
				path += "?" + q
			}
			if v, err := frontier.Parse(u.Origin() + path); err == nil && v != u {
				vs = append(vs, v)
			}
		}
	}
	return vs
}

// Names returns the forms under which a page may have been fetched that rules which
// may do at least so much take for the given address.
func (b *Book) Names(u frontier.URL, least Tier) []uint64 {
	var names []uint64
	for _, v := range append([]frontier.URL{u}, b.Swapped(u, false)...) {
		names = append(names, FormsOf(v).Exact)
		if plain, ok := b.Without(v, least); ok {
			names = append(names, plain)
		}
	}
	return names
}

// Without returns the form of an address without the parameters and segments that
// rules take out of it which may do at least so much; false: there are none.
func (b *Book) Without(u frontier.URL, least Tier) (form uint64, ok bool) {
	template := Template(u)
	return without(u, func(r Rule) bool {
		tier, _, _ := b.Allows(r, template)
		return tier >= least
	})
}

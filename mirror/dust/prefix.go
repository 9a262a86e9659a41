package dust

import (
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

const (
	// maxPrefix bounds the folders in which two URLs of one page may differ.
	maxPrefix = 3

	// maxPrefixes bounds the prefix rules of a host, and maxSwapped the URLs that are looked up for
	// one URL by them. A manual in ten languages has 45 rules, nine of which concern each page.
	maxPrefixes, maxSwapped = 200, 16

	// anySegment is the part of a prefix rule that both prefixes have in common.
	anySegment = "{s}"
)

// segmentsOf returns the segments of a path, counted as parts.generated counts them.
func segmentsOf(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(strings.TrimPrefix(path, "/"), "/")
}

// prefixDifference returns the rule for two paths that differ in their first folders only. Numbers
// and generated segments are not prefixes: each page would get a rule of its own.
func prefixDifference(a, b *parts) (Difference, bool) {
	x, y := segmentsOf(a.lower), segmentsOf(b.lower)
	n := 0
	for n < min(len(x), len(y)) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	if x, y = x[:len(x)-n], y[:len(y)-n]; n == 0 || max(len(x), len(y)) > maxPrefix {
		return nil, false
	}
	for _, s := range slices.Concat(x, y) {
		if isNumber(s) || looksGenerated(s) || strings.Contains(s, "|") {
			return nil, false
		}
	}
	replaceSharedName(x, y)
	from, to := prefixText(x), prefixText(y)
	arg := min(from, to) + "|" + max(from, to)
	if len(arg) > maxArg {
		return nil, false
	}
	return Difference{{Prefix, a.host, arg}}, true
}

// replaceSharedName replaces the first name that both prefixes have by anySegment. A tilde
// may precede the name, as in /~ann and /people/ann.
func replaceSharedName(x, y []string) {
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

// isVersion reports whether a folder has a version of a site in it, by its name: 1.6, v2, 3.x, release-2, latest.
func isVersion(segment string) bool {
	name := strings.ToLower(strings.Trim(segment, "/"))
	if weburl.IsEdition(name) {
		return true
	}
	for _, prefix := range []string{"release", "version", "rel", "ver", "v", "r"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			name = strings.TrimLeft(rest, "-_.")
			break
		}
	}
	return name != "" && '0' <= name[0] && name[0] <= '9' && !strings.ContainsAny(name, "/~{")
}

// isOfVersions reports whether a rule of kind Prefix equates two folders with versions of a site. Most pages of
// two versions are the same, and some are not, however many have confirmed the rule.
func (r Rule) isOfVersions() bool {
	from, to, _ := strings.Cut(r.Arg, "|")
	x, y := segmentsOf(from), segmentsOf(to)
	if r.Kind != Prefix || len(x) != len(y) {
		return false
	}
	differ := false
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if differ = true; !isVersion(x[i]) || !isVersion(y[i]) {
			return false
		}
	}
	return differ
}

func prefixText(segments []string) string {
	if len(segments) == 0 {
		return ""
	}
	return "/" + strings.Join(segments, "/")
}

// swapPrefix returns a path with prefix from replaced by prefix to, and false if it does not
// start with from.
func swapPrefix(path, from, to string) (string, bool) {
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
		return "", false // a URL of the folder itself, not of a page in it
	}
	return strings.Replace(to, anySegment, name, 1) + rest, true
}

// Swapped returns the URLs that are equivalent to the given one by prefix rules: rules above tier
// Watch, or all rules if all is set.
func (b *Book) Swapped(u weburl.URL, all bool) (vs []weburl.URL) {
	b.mu.RLock()
	rules := b.prefixes[hostHash(Host(u))] // only appended to
	b.mu.RUnlock()
	if len(rules) == 0 {
		return nil
	}
	template := Template(u)
	for _, r := range rules {
		x, y, _ := strings.Cut(r.Arg, "|")
		for _, way := range [][2]string{{x, y}, {y, x}} {
			path, ok := swapPrefix(u.Path(), way[0], way[1])
			if !ok {
				continue
			}
			if tier, _, _ := b.Allows(r, template); !all && tier == Watch {
				break
			}
			if len(vs) == maxSwapped {
				return vs
			}
			if q := u.Query(); q != "" {
				path += "?" + q
			}
			if v, err := weburl.Parse(u.Origin() + path); err == nil && v != u {
				vs = append(vs, v)
			}
		}
	}
	return vs
}

// Forms returns the forms under which the page of a URL may have been fetched, by rules of at least
// the given tier.
func (b *Book) Forms(u weburl.URL, least Tier) []uint64 {
	var names []uint64
	for _, v := range append([]weburl.URL{u}, b.Swapped(u, false)...) {
		p := splitURL(v)
		names = append(names, p.hash(nil, 0))
		if plain, ok := b.strippedForm(&p, least); ok {
			names = append(names, plain)
		}
	}
	return names
}

// StrippedForm returns the form of a URL without the parameters and segments that rules of
// at least the given tier remove, and false if there are none.
func (b *Book) StrippedForm(u weburl.URL, least Tier) (form uint64, ok bool) {
	p := splitURL(u)
	return b.strippedForm(&p, least)
}

func (b *Book) strippedForm(p *parts, least Tier) (form uint64, ok bool) {
	if len(p.pairs)+len(p.generated) == 0 {
		return 0, false
	}
	template := p.template()
	return p.without(func(r Rule) bool {
		tier, _, _ := b.Allows(r, template)
		return tier >= least
	})
}

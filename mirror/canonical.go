package mirror

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// choose names the origin of a relation that is to be asked, and why: where
// redirects lead, where rel=canonical points to, the site over https, the one
// that has more, the one with the shallower tree, the shorter name. Redirects
// and rel=canonical come first as in Google's order of hints.
func (r *survey) choose(rel *Relation, i, j int) {
	a, b := r.order[i], r.order[j]
	pick := func(first bool, why string) {
		rel.Canonical = b.Origin
		if first {
			rel.Canonical = a.Origin
		}
		rel.Why = why
	}
	tell := func(first bool, why string) {
		pick(first, why)
		rel.told = true
	}
	toB, toA := a.redirects[b.Origin], b.redirects[a.Origin]
	namesB, namesA := pointing(a, b), pointing(b, a)
	moreAB, moreBA := rel.BA.Share < rel.AB.Share-0.05, rel.AB.Share < rel.BA.Share-0.05
	depth := len(rel.Maps[0].From) - len(rel.Maps[0].To)
	switch {
	case max(toA, toB) >= enough && toA != toB:
		tell(toA > toB, fmt.Sprintf("redirects lead to it (%d addresses)", max(toA, toB)))
	case max(namesA, namesB) >= 0.5 && namesA != namesB:
		tell(namesA > namesB, fmt.Sprintf("rel=canonical points to it (%.0f%% of documents)", 100*max(namesA, namesB)))
	case scheme(a) != scheme(b):
		tell(scheme(a) == "https", "it is served over https")
	case !rel.Folders && (moreAB || moreBA):
		tell(moreBA, fmt.Sprintf("it has more: %.0f%% of the other, which has %.0f%% of it",
			100*max(rel.AB.Share, rel.BA.Share), 100*min(rel.AB.Share, rel.BA.Share)))
	case depth != 0:
		pick(depth < 0, "its paths are shorter")
	case muchMore(a.Documents, b.Documents) || muchMore(b.Documents, a.Documents):
		pick(a.Documents > b.Documents, fmt.Sprintf("it has more documents: %d, the other %d", max(a.Documents, b.Documents), min(a.Documents, b.Documents)))
	case len(a.Origin) != len(b.Origin):
		pick(len(a.Origin) < len(b.Origin), "its name is shorter")
	default:
		pick(a.Origin < b.Origin, "it comes first in the alphabet")
	}
}

// pointing is the share of a site's documents that name another as canonical.
func pointing(from, to *Site) float64 {
	return float64(from.canonicals[to.Origin]) / float64(max(1, from.Documents))
}

// muchMore reports whether n is over m by more than a twentieth.
func muchMore(n, m int) bool { return float64(n) > 1.05*float64(m) }

func scheme(s *Site) string {
	scheme, _, _ := strings.Cut(s.Origin, "://")
	return scheme
}

// stars gives the members of a group one canonical site. A member stays with it
// only where the two were held against each other themselves: a chain of
// versions, each a copy of the one before, must not become one group.
func (r *survey) stars(ctx context.Context, lib Library, held map[[2]int]Relation) error {
	near := make(map[int]map[int]bool)
	for p, rel := range held {
		if !rel.Class.Rewrites() || rel.Folders {
			continue
		}
		for _, way := range [][2]int{{p[0], p[1]}, {p[1], p[0]}} {
			if near[way[0]] == nil {
				near[way[0]] = make(map[int]bool)
			}
			near[way[0]][way[1]] = true
		}
	}
	seen := make(map[int]bool)
	for _, start := range slices.Sorted(maps.Keys(near)) {
		if seen[start] {
			continue
		}
		group := []int{start}
		seen[start] = true
		for k := 0; k < len(group); k++ {
			for _, n := range slices.Sorted(maps.Keys(near[group[k]])) {
				if !seen[n] {
					seen[n] = true
					group = append(group, n)
				}
			}
		}
		for len(group) > 1 {
			var err error
			if group, err = r.star(ctx, lib, group, held); err != nil {
				return err
			}
		}
	}
	return nil
}

// star picks the centre of a group, points its members at it, and returns those
// that do not belong to it.
func (r *survey) star(ctx context.Context, lib Library, group []int, held map[[2]int]Relation) ([]int, error) {
	// A site wins where a relation names it; one that loses to none of the
	// group and wins most is the centre. What sites tell and have comes before names,
	// which may go round in a circle with it.
	wins, losses := make(map[int]int), make(map[int]int)
	toldWins, toldLosses := make(map[int]int), make(map[int]int)
	for k, i := range group {
		for _, j := range group[k+1:] {
			rel, ok := held[[2]int{min(i, j), max(i, j)}]
			if !ok || !rel.Class.Rewrites() || rel.Folders {
				continue
			}
			winner := r.place[rel.Canonical]
			wins[winner]++
			losses[i+j-winner]++
			if rel.told {
				toldWins[winner]++
				toldLosses[i+j-winner]++
			}
		}
	}
	centre := slices.MinFunc(group, func(i, j int) int {
		return cmp.Or(
			cmp.Compare(toldLosses[i], toldLosses[j]), cmp.Compare(toldWins[j], toldWins[i]),
			cmp.Compare(losses[i], losses[j]), cmp.Compare(wins[j], wins[i]), cmp.Compare(i, j),
		)
	})
	var rest []int
	for _, i := range group {
		if i == centre {
			continue
		}
		p := [2]int{min(i, centre), max(i, centre)}
		rel, ok := held[p]
		if !ok {
			var err error
			if rel, err = r.compare(ctx, lib, p[0], p[1]); err != nil {
				return nil, err
			}
			held[p] = rel
		}
		if !rel.Class.Rewrites() || rel.Folders {
			rest = append(rest, i)
			continue
		}
		if rel.Canonical != r.order[centre].Origin {
			rel.Canonical = r.order[centre].Origin
			rel.Why = "it is the one that others of the group are copies of"
			held[p] = rel
		}
	}
	// Among members the centre speaks for both.
	for k, i := range group {
		for _, j := range group[k+1:] {
			p := [2]int{min(i, j), max(i, j)}
			rel, ok := held[p]
			if !ok || i == centre || j == centre || slices.Contains(rest, i) || slices.Contains(rest, j) || !rel.Class.Rewrites() || rel.Folders {
				continue
			}
			rel.Why += fmt.Sprintf("; both belong to %s", r.order[centre].Origin)
			held[p] = rel
		}
	}
	return rest, nil
}

package mirror

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// choose sets the canonical origin of a relation, and why it is the one.
//
// First comes the origin that the other site redirects to or names in rel=canonical, since that is
// what a site says about itself (the order is that of Google's hints). Between sites of one owner,
// next come the one over https, the one with more documents, and the one with the shallower tree.
// For sites of two owners these do not count, since the copier may do better in each of them. For
// those, and if all else is equal, it is the site that a user named, and then the one that answered
// first. A twin that the crawl uses already stays as it is.
func (r *analysis) choose(rel *Relation, i, j int) {
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
		rel.bySites = true
	}
	toB, toA := a.redirects[b.Origin], b.redirects[a.Origin]
	namesB, namesA := canonicalShare(a, b), canonicalShare(b, a)
	moreAB, moreBA := rel.BA.Share < rel.AB.Share-0.05, rel.AB.Share < rel.BA.Share-0.05
	depth := len(rel.Maps[0].From) - len(rel.Maps[0].To)
	owned := !rel.Strangers()
	switch {
	case a.twin == b.Origin:
		pick(false, a.twinWhy)
		rel.leftOut = true
	case b.twin == a.Origin:
		pick(true, b.twinWhy)
		rel.leftOut = true
	case max(toA, toB) >= minAgreeing && toA != toB:
		tell(toA > toB, fmt.Sprintf("redirects of the other lead to it (%d URLs)", max(toA, toB)))
	case max(namesA, namesB) >= 0.5 && namesA != namesB:
		tell(namesA > namesB, fmt.Sprintf("rel=canonical of the other points to it (%.0f%% of documents)", 100*max(namesA, namesB)))
	case owned && scheme(a) != scheme(b):
		tell(scheme(a) == "https", "it is served over https")
	case owned && !rel.Folders && (moreAB || moreBA):
		tell(moreBA, fmt.Sprintf("it has more: %.0f%% of the other, which has %.0f%% of it",
			100*max(rel.AB.Share, rel.BA.Share), 100*min(rel.AB.Share, rel.BA.Share)))
	case a.Named != b.Named && (a.Named == 0 || b.Named == 0):
		pick(a.Named != 0, "a seed of the crawl is on it")
	case a.Named != b.Named:
		pick(a.Named < b.Named, "it was a seed of the crawl before the other")
	case owned && depth != 0:
		pick(depth < 0, "its paths are shorter")
	case owned && (muchMore(a.Documents, b.Documents) || muchMore(b.Documents, a.Documents)):
		pick(a.Documents > b.Documents, fmt.Sprintf("it has more documents: %d, the other %d", max(a.Documents, b.Documents), min(a.Documents, b.Documents)))
	case a.Met != b.Met && a.Met != 0 && b.Met != 0:
		pick(a.Met < b.Met, "it answered before the other")
	case len(a.Origin) != len(b.Origin):
		pick(len(a.Origin) < len(b.Origin), "its name is shorter, and nothing else distinguishes them")
	default:
		pick(a.Origin < b.Origin, "it comes first in the alphabet, and nothing else distinguishes them")
	}
}

// canonicalShare is the share of a site's documents whose rel=canonical names the other.
func canonicalShare(from, to *Site) float64 {
	return float64(from.canonicals[to.Origin]) / float64(max(1, from.Documents))
}

// muchMore reports whether n exceeds m by more than 5%.
func muchMore(n, m int) bool { return float64(n) > 1.05*float64(m) }

func scheme(s *Site) string {
	scheme, _, _ := strings.Cut(s.Origin, "://")
	return scheme
}

// stars gives the members of each group one canonical site. A site is a member only if
// it was compared with the canonical site itself: a chain of versions, each a copy of the
// one before, must not become one group.
func (r *analysis) stars(ctx context.Context, lib Library, held map[[2]int]Relation) error {
	near := make(map[int]map[int]bool)
	for p, rel := range held {
		if !rel.Class.Rewrites() {
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

// star chooses the centre of a group, makes it the canonical site of the members, and
// returns the sites that do not belong to it.
func (r *analysis) star(ctx context.Context, lib Library, group []int, held map[[2]int]Relation) (rest []int, err error) {
	centre := r.centreOf(group, held)
	var members []int
	for _, i := range group {
		if i == centre {
			continue
		}
		if r.inAnother(i, centre, group) {
			rest = append(rest, i)
			continue
		}
		p := pairOf(i, centre)
		rel, ok := held[p]
		if !ok {
			if rel, err = r.compare(ctx, lib, p[0], p[1]); err != nil {
				return nil, err
			}
			held[p] = rel
		}
		if !rel.Class.Rewrites() {
			rest = append(rest, i)
			continue
		}
		r.centre[i], r.centre[centre] = centre, centre
		members = append(members, i)
	}
	r.makeCanonical(centre, members, held)
	return rest, nil
}

// asked returns the site that the crawl asks in place of a site: the site itself if it is not left out.
func (r *analysis) asked(i int) int {
	for range maxSites { // more would be a cycle
		j, ok := r.place[r.order[i].twin]
		if !ok {
			break
		}
		i = j
	}
	return i
}

// inAnother reports whether a site is left out for another site of its group than the centre, or is that other site. Those are a group of their
// own, so that each is shown below the site that is asked in its place.
func (r *analysis) inAnother(i, centre int, group []int) bool {
	by := r.asked(i)
	if by == centre || !slices.Contains(group, by) {
		return false
	}
	return slices.ContainsFunc(group, func(j int) bool { return j != by && r.asked(j) == by })
}

// pairOf returns the key of the relation of two sites.
func pairOf(i, j int) [2]int { return [2]int{min(i, j), max(i, j)} }

// centreOf returns the site of a group for which most of the others are left out, but for its other names; if none is, the one that loses
// to none of the group and wins most. A site wins if a relation names it as canonical.
// What sites say and have counts before their names, since both together may form a cycle. A site that the crawl leaves out is
// not the centre.
func (r *analysis) centreOf(group []int, held map[[2]int]Relation) int {
	wins, losses := make(map[int]int), make(map[int]int)
	toldWins, toldLosses := make(map[int]int), make(map[int]int)
	askedFor := make(map[int]int) // sites that are left out for it
	for k, i := range group {
		if by := r.asked(i); by != i && held[pairOf(i, by)].Class != Alias {
			askedFor[by]++
		}
		for _, j := range group[k+1:] {
			rel, ok := held[pairOf(i, j)]
			if !ok || !rel.Class.Rewrites() {
				continue
			}
			winner := r.place[rel.Canonical]
			wins[winner]++
			losses[i+j-winner]++
			if rel.bySites {
				toldWins[winner]++
			}
			if rel.bySites || rel.leftOut {
				toldLosses[i+j-winner]++
			}
		}
	}
	return slices.MinFunc(group, func(i, j int) int {
		return cmp.Or(
			cmp.Compare(askedFor[j], askedFor[i]),
			cmp.Compare(toldLosses[i], toldLosses[j]), cmp.Compare(toldWins[j], toldWins[i]),
			cmp.Compare(losses[i], losses[j]), cmp.Compare(wins[j], wins[i]),
			cmp.Compare(r.order[i].Met, r.order[j].Met), cmp.Compare(i, j),
		)
	})
}

// makeCanonical makes the centre of a group the canonical site of its members. A member may be larger than the centre, or served
// over https, or may have been given up. Then the reason is that of another member, or that the crawl asks the centre in place of others.
func (r *analysis) makeCanonical(centre int, members []int, held map[[2]int]Relation) {
	leads := slices.ContainsFunc(members, func(i int) bool { return r.asked(i) == centre && held[pairOf(i, centre)].Class != Alias })
	if leads && slices.ContainsFunc(members, func(i int) bool { return held[pairOf(i, centre)].Canonical != r.order[centre].Origin }) {
		for _, i := range members {
			rel := held[pairOf(i, centre)]
			rel.Canonical, rel.Why = r.order[centre].Origin, "the crawl asks it in place of others of the group"
			held[pairOf(i, centre)] = rel
		}
		return
	}
	for _, i := range members {
		p := pairOf(i, centre)
		rel := held[p]
		if rel.Canonical == r.order[centre].Origin {
			continue
		}
		rel.Canonical, rel.Why = r.order[centre].Origin, "most of its group are copies of it"
		for _, j := range members {
			other := held[pairOf(j, centre)]
			if other.Canonical == rel.Canonical && j != i {
				rel.Why = fmt.Sprintf("it is canonical for %s, of the same group: %s", r.order[j].Origin, other.Why)
				break
			}
		}
		held[p] = rel
	}
}

// settle keeps only the relations between a group's canonical site and its members, so
// that no site has two canonical sites. Relations between two groups, and of sites that
// share folders only, get no canonical site.
func (r *analysis) settle(held map[[2]int]Relation) {
	for p, rel := range held {
		if !rel.Class.Rewrites() && !rel.Folders {
			continue
		}
		i, j := r.centre[p[0]], r.centre[p[1]]
		switch {
		case rel.Folders || i != j:
			rel.Canonical, rel.Why = "", ""
			held[p] = rel
		case p[0] != i && p[1] != i:
			delete(held, p)
		}
	}
}

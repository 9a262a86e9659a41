package mirror

import (
	"cmp"
	"slices"
)

// A Group is a site and its mirrors: aliases, whole copies and partial ones.
type Group struct {
	Canonical string `json:"canonical"` // the origin to crawl
	Why       string `json:"why"`       // the reason for choosing it that holds for most members
	Documents int    `json:"documents"` // crawled from its host
	Members   []Pair `json:"members"`   // each with the canonical site as a; most documents in common first
}

// A Report is what is known of a job's mirrors.
type Report struct {
	Groups []Group
	Pairs  []Pair // hosts that have a relation or share documents, and are not in one group
}

// Gather makes groups of the pairs that have a canonical site. It drops a pair with a member of a
// group if there is a pair with that group's canonical site instead, and a pair of two members of
// one group.
func Gather(ps []Pair) Report {
	var r Report
	place := make(map[string]int) // index of a group, by its canonical origin
	of := make(map[string]string) // the host of the canonical site, by the member's
	for _, p := range ps {
		if !p.isMember() {
			continue
		}
		i, ok := place[p.Canonical]
		if !ok {
			i = len(r.Groups)
			place[p.Canonical] = i
			r.Groups = append(r.Groups, Group{Canonical: p.Canonical, Documents: p.PagesA})
		}
		r.Groups[i].Members = append(r.Groups[i].Members, p)
		if p.A != p.B {
			of[p.B] = p.A
		}
	}
	given := make(map[string][]*Twin) // by the origin of a site: which sites were asked in place of it
	for _, p := range ps {
		for _, t := range p.Twins {
			given[t.Origin] = append(given[t.Origin], t)
		}
	}
	for i := range r.Groups {
		r.Groups[i].finish(given)
	}
	slices.SortStableFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Members), len(a.Members)), cmp.Compare(b.Documents, a.Documents), cmp.Compare(a.Canonical, b.Canonical))
	})
	stands := func(host string) string { return cmp.Or(of[host], host) }
	direct := make(map[[2]string]bool)
	for _, p := range ps {
		if stands(p.A) == p.A && stands(p.B) == p.B {
			direct[[2]string{p.A, p.B}], direct[[2]string{p.B, p.A}] = true, true
		}
	}
	for _, p := range ps {
		a, b := stands(p.A), stands(p.B)
		switch {
		case p.isMember(), a == b && p.A != p.B:
		case (a != p.A || b != p.B) && direct[[2]string{a, b}]:
		default:
			r.Pairs = append(r.Pairs, p)
		}
	}
	return r
}

func (p *Pair) isMember() bool {
	return p.Relation != nil && p.Class.Rewrites() && p.Canonical != ""
}

// finish sorts the members and chooses the reason. A member that has nothing to do with the canonical site in the crawl gets what it had with others.
func (g *Group) finish(given map[string][]*Twin) {
	for i := range g.Members {
		if m := &g.Members[i]; len(m.Twins) == 0 {
			m.Twins = given[m.Other()]
		}
	}
	slices.SortStableFunc(g.Members, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Shared, a.Shared), cmp.Compare(a.B, b.B))
	})
	whys := make(map[string]int)
	for _, m := range g.Members {
		if whys[m.Why]++; whys[m.Why] > whys[g.Why] || g.Why == "" {
			g.Why = m.Why
		}
	}
}

// How an overlap was measured.
const (
	ByLookUps = "look-ups" // sampled documents of B were looked up on A
	ByCopies  = "copies"   // the share of all crawled documents of B that are copies of documents on A
)

package mirror

import (
	"cmp"
	"maps"
	"slices"
)

// maxHosts bounds how many hosts of one group are paired: a text on more hosts than that
// (a licence, an error page) says nothing about two of them, and the number of pairs
// grows with the square.
const maxHosts = 40

// A Pair is two hosts that have documents in common.
type Pair struct {
	A       string  `json:"a"` // the two hosts: the canonical one first, else the larger, then by name
	B       string  `json:"b"`
	Shared  int     `json:"shared"`  // documents of B with a copy on A
	PagesA  int     `json:"pages_a"` // documents crawled of each
	PagesB  int     `json:"pages_b"`
	Overlap float64 `json:"overlap"`    // share of B's documents that A has, 0 to 1
	By      string  `json:"overlap_by"` // ByLookUps, or ByCopies: Shared over PagesB

	shared int // documents of A with a copy on B

	Deferred int     `json:"deferred,omitempty"` // URLs of one host that were not requested because the other has the pages
	Twins    []*Twin `json:"twins,omitempty"`    // which of its sites was requested in place of which; of a member of a group without such, which others were in place of it

	*Relation // nil if the two only share some documents
}

// Relate adds to each pair the relation of its sites, and adds pairs for related sites
// that share no group. For two sites of one host name, such as http and https, both names
// of the pair are equal.
func (s *Shared) Relate(ps []Pair, rels []Relation, host func(origin string) string) []Pair {
	place := make(map[[2]string]int, len(ps))
	for i, p := range ps {
		place[[2]string{p.A, p.B}], place[[2]string{p.B, p.A}] = i, i
	}
	for _, r := range rels {
		a, b := host(r.A), host(r.B)
		i, ok := place[[2]string{a, b}]
		if !ok || ps[i].Relation != nil {
			p := Pair{A: a, B: b, PagesA: s.pages[a], PagesB: s.pages[b], By: ByCopies}
			if p.PagesB > p.PagesA || p.PagesB == p.PagesA && b < a {
				p.A, p.B, p.PagesA, p.PagesB = p.B, p.A, p.PagesB, p.PagesA
			}
			ps = append(ps, p)
			i = len(ps) - 1
		}
		p := &ps[i]
		if r.Canonical != "" && host(r.Canonical) != p.A {
			p.A, p.B, p.PagesA, p.PagesB, p.Shared, p.shared = p.B, p.A, p.PagesB, p.PagesA, p.shared, p.Shared
			p.measure()
		}
		if host(r.A) != p.A || p.A == p.B && r.Canonical == r.B {
			r = r.Reversed()
		}
		p.Relation = &r
		if r.Class != None && r.BA.N > 0 {
			p.Overlap, p.By = r.BA.Share, ByLookUps
		}
	}
	return ps
}

// measure sets the overlap by the copies that the gate found.
func (p *Pair) measure() {
	p.Overlap, p.By = 0, ByCopies
	if p.PagesB > 0 {
		p.Overlap = float64(p.Shared) / float64(p.PagesB)
	}
}

// Shared collects groups and counts what each two hosts have in common. Survey.Hosts makes
// one.
type Shared struct {
	pages map[string]int        // documents of each host
	both  map[[2]string]*[2]int // documents of each in groups of both
}

// Group counts a group, given the host of each of its documents. A group on more than 40
// hosts is left out.
func (s *Shared) Group(hosts []string) {
	count := make(map[string]int, len(hosts))
	for _, h := range hosts {
		count[h]++
	}
	if len(count) < 2 || len(count) > maxHosts {
		return
	}
	if s.both == nil {
		s.both = make(map[[2]string]*[2]int)
	}
	names := slices.Sorted(maps.Keys(count))
	for i, a := range names {
		for _, b := range names[i+1:] {
			n := s.both[[2]string{a, b}]
			if n == nil {
				n = new([2]int)
				s.both[[2]string{a, b}] = n
			}
			n[0] += count[a]
			n[1] += count[b]
		}
	}
}

// Pairs returns the pairs that were counted, most shared documents first.
func (s *Shared) Pairs() []Pair {
	ps := make([]Pair, 0, len(s.both))
	for hosts, n := range s.both {
		p := Pair{A: hosts[0], B: hosts[1], Shared: n[1], shared: n[0], PagesA: s.pages[hosts[0]], PagesB: s.pages[hosts[1]]}
		if p.PagesB > p.PagesA {
			p = Pair{A: p.B, B: p.A, Shared: n[0], shared: n[1], PagesA: p.PagesB, PagesB: p.PagesA}
		}
		p.measure()
		ps = append(ps, p)
	}
	slices.SortFunc(ps, func(x, y Pair) int {
		return cmp.Or(cmp.Compare(y.Shared, x.Shared), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return ps
}

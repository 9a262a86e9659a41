package mirror

import (
	"cmp"
	"slices"
)

// maxHosts bounds how many hosts of one group are paired: a text that stands on
// more hosts than that (a licence, an error page) says nothing about two of
// them, and pairs grow with the square.
const maxHosts = 40

// A Pair is two hosts that carry the same documents.
type Pair struct {
	A       string  `json:"a"` // the two hosts, the larger first, then by name
	B       string  `json:"b"`
	Shared  int     `json:"shared"`  // groups with a page on both
	PagesA  int     `json:"pages_a"` // documents crawled of each
	PagesB  int     `json:"pages_b"`
	Overlap float64 `json:"overlap"` // Shared over the smaller of the two, 0 to 1
}

// Shared collects groups and counts what each two hosts have in common. The
// zero Shared is ready to use.
type Shared struct {
	pages map[string]int
	both  map[[2]string]int
}

// Page counts one document of a host.
func (s *Shared) Page(host string) {
	if s.pages == nil {
		s.pages = make(map[string]int)
	}
	s.pages[host]++
}

// Group counts one group for each two of its hosts. Hosts may repeat; a group
// on more than 40 hosts is left out.
func (s *Shared) Group(hosts []string) {
	hosts = slices.Compact(slices.Sorted(slices.Values(hosts)))
	if len(hosts) < 2 || len(hosts) > maxHosts {
		return
	}
	if s.both == nil {
		s.both = make(map[[2]string]int)
	}
	for i, a := range hosts {
		for _, b := range hosts[i+1:] {
			s.both[[2]string{a, b}]++
		}
	}
}

// Pairs returns what was counted, most shared first.
func (s *Shared) Pairs() []Pair {
	ps := make([]Pair, 0, len(s.both))
	for hosts, n := range s.both {
		a, b := hosts[0], hosts[1]
		if s.pages[b] > s.pages[a] {
			a, b = b, a
		}
		p := Pair{A: a, B: b, Shared: n, PagesA: s.pages[a], PagesB: s.pages[b]}
		if p.PagesB > 0 {
			p.Overlap = min(1, float64(n)/float64(p.PagesB))
		}
		ps = append(ps, p)
	}
	slices.SortFunc(ps, func(x, y Pair) int {
		return cmp.Or(cmp.Compare(y.Shared, x.Shared), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B))
	})
	return ps
}

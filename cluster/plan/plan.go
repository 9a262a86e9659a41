// Package plan assigns partitions to nodes.
//
// Partitions have about the same number of domains, but not the same load, so a node with fewer
// partitions than another may have more to do. The caller says how much load each partition has.
// The plan moves as few partitions as it can, since a partition that moves stands still for a
// second or two, and its copy crosses the network.
package plan

import (
	"cmp"
	"slices"
)

// A Partition is a partition as the plan sees it.
type Partition struct {
	// Load is how much there is to do in it, in any unit, such as pages fetched in an hour. Not
	// below 0.
	Load float64

	// Owner is the node that has it, or had it last; "" if none did.
	Owner string
}

// tolerance is how much the loads of nodes may differ before a partition is moved only for that
// reason, as a share of a node's fair load.
const tolerance = .05

// Assign returns the node of each partition. Partitions without a node, or whose node is gone, go
// to the nodes with the least load, those with the largest load first. Then partitions move from
// the node with the most load to the one with the least, as long as each move reduces their
// difference by more than a twentieth of a fair share. The result depends only on the arguments,
// not on the order of nodes. If there are no nodes, all names are empty.
func Assign(parts []Partition, nodes []string) []string {
	owners := make([]string, len(parts))
	if len(nodes) == 0 {
		return owners
	}
	s := newShares(parts, nodes)
	for _, i := range s.homeless() {
		s.give(i, s.least())
	}
	s.even()
	for i, at := range s.at {
		owners[i] = s.names[at]
	}
	return owners
}

// shares has the loads of the nodes while the plan is made.
type shares struct {
	parts []Partition
	names []string // of the nodes, sorted
	at    []int    // by partition: its node; -1: none yet
	load  []float64
	count []int // by node: how many partitions
}

func newShares(parts []Partition, nodes []string) *shares {
	s := &shares{parts: parts, names: slices.Compact(slices.Sorted(slices.Values(nodes))), at: make([]int, len(parts))}
	s.load, s.count = make([]float64, len(s.names)), make([]int, len(s.names))
	for i, p := range parts {
		s.at[i] = -1
		if node, ok := slices.BinarySearch(s.names, p.Owner); ok {
			s.give(i, node)
		}
	}
	return s
}

func (s *shares) give(part, node int) {
	if old := s.at[part]; old >= 0 {
		s.load[old] -= s.parts[part].Load
		s.count[old]--
	}
	s.at[part] = node
	s.load[node] += s.parts[part].Load
	s.count[node]++
}

// homeless returns the partitions that no node has, the largest first.
func (s *shares) homeless() (all []int) {
	for i, at := range s.at {
		if at < 0 {
			all = append(all, i)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(s.parts[b].Load, s.parts[a].Load) })
	return all
}

// compare orders nodes by their load. If that is equal, as when a job starts, it orders them by
// their number of partitions.
func (s *shares) compare(a, b int) int {
	return cmp.Or(cmp.Compare(s.load[a], s.load[b]), cmp.Compare(s.count[a], s.count[b]), cmp.Compare(a, b))
}

func (s *shares) least() (least int) {
	for node := range s.names {
		if s.compare(node, least) < 0 {
			least = node
		}
	}
	return least
}

func (s *shares) most() (most int) {
	for node := range s.names {
		if s.compare(node, most) > 0 {
			most = node
		}
	}
	return most
}

// even moves partitions until no move reduces a difference enough.
func (s *shares) even() {
	total := 0.0
	for _, l := range s.load {
		total += l
	}
	enough := tolerance * total / float64(len(s.names))
	if total == 0 {
		s.evenCounts()
		return
	}
	for range len(s.parts) * 4 { // each move helps by at least a twentieth; the limit ends the loop
		from, to := s.most(), s.least()
		part, ok := s.best(from, to)
		if !ok || s.gain(part, from, to) <= enough {
			return
		}
		s.give(part, to)
	}
}

// evenCounts is even for loads that are not known: it counts partitions.
func (s *shares) evenCounts() {
	for {
		from, to := s.most(), s.least()
		if s.count[from]-s.count[to] < 2 {
			return
		}
		s.give(slices.Index(s.at, from), to)
	}
}

// gain is by how much the difference of two nodes becomes smaller if one gives a partition to the
// other.
func (s *shares) gain(part, from, to int) float64 {
	before := s.load[from] - s.load[to]
	after := before - 2*s.parts[part].Load
	return before - max(after, -after)
}

// best returns the partition whose move makes the difference of two nodes smallest.
func (s *shares) best(from, to int) (part int, ok bool) {
	most := 0.0
	for i, at := range s.at {
		if at != from {
			continue
		}
		if g := s.gain(i, from, to); g > most {
			part, ok, most = i, true, g
		}
	}
	return part, ok
}

// Package plan says which node has which partition of a job.
//
// Partitions are equal in number of domains, not in load: a node with fewer partitions than
// another may have more to do. So the caller says what each partition has to do, and the plan
// moves as few partitions as it can, since a partition that moves stands still for a second or
// two, and its copy crosses the net.
package plan

import (
	"cmp"
	"slices"
)

// A Partition is what a plan is made from.
type Partition struct {
	// Load is what it has to do, in any unit, such as pages fetched in an hour. Not below 0.
	Load float64

	// Owner is the node that has it, or that had it; empty: none.
	Owner string
}

// tolerance is the share of a node's fair load by which nodes may differ before a partition
// is moved for that alone.
const tolerance = .05

// Assign returns the node of each partition. Those of nodes that are gone, and those without
// one, go to the nodes with the least load, the largest first; then partitions move from the
// node with the most load to the one with the least, as long as each move brings the two closer
// by more than a twentieth of a fair share. The result is the same for the same arguments,
// whatever the order of nodes. Without nodes no partition has one.
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

// shares are the loads of the nodes so far.
type shares struct {
	parts []Partition
	names []string // of the nodes, sorted
	at    []int    // by partition: its node; -1: none
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

// compare orders nodes by their load, and if that is equal, as at a job's start, by how many
// partitions they have.
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

// even moves partitions until no move brings enough.
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
	for range len(s.parts) * 4 { // each move helps by a twentieth at least; this bounds it
		from, to := s.most(), s.least()
		part, ok := s.best(from, to)
		if !ok || s.gain(part, from, to) <= enough {
			return
		}
		s.give(part, to)
	}
}

// evenCounts is even for unknown loads.
func (s *shares) evenCounts() {
	for {
		from, to := s.most(), s.least()
		if s.count[from]-s.count[to] < 2 {
			return
		}
		s.give(slices.Index(s.at, from), to)
	}
}

// gain is by how much the difference of two nodes shrinks when one gives a partition to the
// other.
func (s *shares) gain(part, from, to int) float64 {
	before := s.load[from] - s.load[to]
	after := before - 2*s.parts[part].Load
	return before - max(after, -after)
}

// best returns the partition whose move brings two nodes closest.
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

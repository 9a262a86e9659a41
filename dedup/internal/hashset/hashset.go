// Package hashset has sets of hashes as sorted slices.
package hashset

import (
	"cmp"
	"math/bits"
	"slices"
)

// Of makes a set of keys: it sorts them in place and drops repeated ones.
func Of(keys []uint64) []uint64 {
	Sort(keys)
	return slices.Compact(keys)
}

// Sort sorts keys. Hashes are evenly distributed: one pass of exchanges puts each into the
// part that its first bits select (American flag sort; McIlroy, Bostic and McIlroy 1993), and parts
// of one or two are sorted one by one, in half of the time of slices.Sort for a hundred and in a third
// for a thousand (go test ./dedup/internal/hashset -run xxx -bench Sort).
func Sort[K uint32 | uint64](keys []K) {
	const mostBits = 9
	if len(keys) < 32 {
		slices.Sort(keys)
		return
	}
	first := min(bits.Len(uint(len(keys)))-1, mostBits)
	shift := size[K]() - first
	var allEnds, allNext [1 << mostBits]int32
	ends, next := allEnds[:1<<first], allNext[:1<<first]
	for _, k := range keys {
		ends[k>>shift]++
	}
	from := int32(0)
	for i, n := range ends {
		next[i] = from
		from += n
		ends[i] = from
	}
	for i := range ends {
		for next[i] < ends[i] {
			k := keys[next[i]]
			for part := k >> shift; int(part) != i; part = k >> shift {
				keys[next[part]], k = k, keys[next[part]]
				next[part]++
			}
			keys[next[i]] = k
			next[i]++
		}
	}
	from = 0
	for _, to := range ends {
		part := keys[from:to]
		if from = to; len(part) > 24 {
			slices.Sort(part)
			continue
		}
		for i := 1; i < len(part); i++ {
			for j := i; j > 0 && part[j] < part[j-1]; j-- {
				part[j], part[j-1] = part[j-1], part[j]
			}
		}
	}
}

// size returns how many bits a key has.
func size[K uint32 | uint64]() int { return bits.Len64(uint64(^K(0))) }

// Common returns how many keys two sorted sets share.
func Common[K cmp.Ordered](a, b []K) (both int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			a, b, both = a[1:], b[1:], both+1
		}
	}
	return both
}

// Has reports whether a set has a hash.
func Has[K cmp.Ordered](sorted []K, x K) bool {
	_, ok := slices.BinarySearch(sorted, x)
	return ok
}

// Jaccard returns the resemblance of two sets, which is the share of all their keys that both have,
// 0 to 1. For empty sets it is 0.
func Jaccard[K cmp.Ordered](a, b []K) float64 {
	both := Common(a, b)
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

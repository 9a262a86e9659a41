package turns

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAHeapGivesHostsInTheirOrder compares a heap with a list that is sorted each time.
func TestAHeapGivesHostsInTheirOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	places := make(Places, 700)
	heap := New(&places)
	want := make(map[int32]Turn)
	for range 3000 {
		turn := Turn{Score: rng.Uint32N(5), Time: uint64(rng.IntN(1000)), ID: rng.Int32N(int32(len(places)))}
		_, in := want[turn.ID]
		switch {
		case !in:
			heap.Push(turn)
			want[turn.ID] = turn
		case rng.IntN(3) == 0:
			heap.Remove(turn.ID)
			delete(want, turn.ID)
		default:
			heap.Fix(turn)
			want[turn.ID] = turn
		}
		if heap.Len() != len(want) {
			t.Fatalf("Len = %d, want %d", heap.Len(), len(want))
		}
		if rng.IntN(100) > 0 {
			continue
		}
		n := rng.IntN(40)
		var got []turnAt
		for id := range heap.First(n) {
			got = append(got, turnAt{want[id].Score, want[id].Time})
		}
		var all []turnAt
		for _, t := range want {
			all = append(all, turnAt{t.Score, t.Time})
		}
		slices.SortFunc(all, func(a, b turnAt) int {
			if a == b {
				return 0
			}
			if a.score < b.score || a.score == b.score && a.time < b.time {
				return -1
			}
			return 1
		})
		if some := heap.Some(n + 1); len(all) > 0 && (turnAt{some[0].Score, some[0].Time}) != all[0] {
			t.Fatalf("Some starts with %+v, want %+v", some[0], all[0])
		}
		if all = all[:min(n, len(all))]; !slices.Equal(got, all) {
			t.Fatalf("First(%d) of %d hosts = %v, want %v", n, len(want), got, all)
		}
	}
}

// A turnAt is a turn whoever has it: of equal turns any may come first.
type turnAt struct {
	score uint32
	time  uint64
}

package queue

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// TestAHeapGivesHostsInTheirOrder holds a heap against a list that is sorted each time.
func TestAHeapGivesHostsInTheirOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed: %d", seed)
	dice := rand.New(rand.NewPCG(seed, 2))
	hs := hosts{ids: make(map[weburl.HostKey]int32)}
	heap := hostHeap{of: &hs}
	want := make(map[int32]turn)
	for i := range uint32(700) {
		hs.add(weburl.HostKey(binary.BigEndian.AppendUint32([]byte("hk"), i)))
	}
	for range 3000 {
		turn := turn{score: dice.Uint32N(5), time: uint64(dice.IntN(1000)), id: dice.Int32N(int32(hs.len()))}
		_, in := want[turn.id]
		switch {
		case !in:
			heap.push(turn)
			want[turn.id] = turn
		case dice.IntN(3) == 0:
			heap.remove(turn.id)
			delete(want, turn.id)
		default:
			heap.fix(turn)
			want[turn.id] = turn
		}
		if dice.IntN(100) > 0 {
			continue
		}
		n := dice.IntN(40)
		var got []turnAt
		for h := range heap.first(n) {
			got = append(got, turnAt{want[h.id].score, want[h.id].time})
		}
		var all []turnAt
		for _, t := range want {
			all = append(all, turnAt{t.score, t.time})
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
		if all = all[:min(n, len(all))]; !slices.Equal(got, all) {
			t.Fatalf("first(%d) of %d hosts = %v, want %v", n, len(want), got, all)
		}
	}
}

// A turnAt is a turn whoever has it: of equal turns any may come first.
type turnAt struct {
	score uint32
	time  uint64
}

// BenchmarkTurnOfAMillionHosts says what a host takes in memory, and how long it takes
// to give the first of a million its turn and to find its next place.
func BenchmarkTurnOfAMillionHosts(b *testing.B) {
	const n = 1_000_000
	heapSize := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	keys := make([]weburl.HostKey, n)
	for i := range keys {
		keys[i] = weburl.HostKeyOf(fmt.Sprintf("host%d.example", i))
	}
	before := heapSize()
	o := DefaultOptions()
	o.Delay = 0
	s := newScheduler(o)
	for i, k := range keys {
		s.entered(s.hosts.add(k), entry{at: positionOf(0, uint64(i))})
		s.place(s.hosts.find(k), 0)
	}
	each := float64(heapSize()-before) / n
	for b.Loop() {
		h := s.best()
		s.tick++
		h.served = s.tick
		s.place(h, s.moment(time.Now()))
	}
	b.ReportMetric(each, "B/host") // Loop takes away what was reported before
	runtime.KeepAlive(keys)
}

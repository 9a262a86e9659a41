package queue

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

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

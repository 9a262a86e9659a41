package cli

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// leastPercent is how much garbage there may be in percent of what is in use, if that is more than
// the least that BoundGarbage gets.
const leastPercent = 35

// BoundGarbage adjusts the garbage collector's percentage to what is in use, until stop is called:
// there may be least bytes of garbage, or leastPercent of what is in use if that is more. With the
// default of 100% the collector runs often while little is in use, and doubles the memory when much
// is. If GOGC is set, BoundGarbage does nothing.
func BoundGarbage(least int64) (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	const smallest = 4 << 20 // bytes of a heap that has not been collected yet
	percent := int(least * 100 / smallest)
	before := debug.SetGCPercent(percent)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() { // ends with stop, which waits for it
		defer close(ended)
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			metrics.Read(live)
			want := max(leastPercent, int(least*100/max(int64(live[0].Value.Uint64()), smallest)))
			if want < percent*9/10 || want > percent*11/10 { // setting it stops all goroutines for a moment
				percent = want
				debug.SetGCPercent(percent)
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		debug.SetGCPercent(before)
	}
}

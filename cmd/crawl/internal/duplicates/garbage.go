package duplicates

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How much garbage there may be next to what is in use: leastGarbage, or leastPercent of what is
// in use if that is more. While pages are read a collection holds some 20 MB, and at the default
// of 100% the collector ran 20 times a second; when all are known it holds hundreds, and as much
// garbage would double them.
const (
	leastGarbage = 48 << 20 // bytes
	leastPercent = 35
)

// boundGarbage sets the collector's percentage by what is in use, until stop is called. Where GOGC is set
// the user has chosen it.
func boundGarbage() (stop func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	percent := leastGarbage * 100 / (4 << 20) // of the 4 MB of a heap that has not been collected yet
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
			want := max(leastPercent, int(leastGarbage*100/max(live[0].Value.Uint64(), 4<<20)))
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

//go:build !unix

package dedup

import "time"

var begun = time.Now()

// cpuTime is the clock's time here.
func cpuTime() time.Duration { return time.Since(begun) }

//go:build !linux

package document

import "time"

// limitMemory does nothing if the kernel does not count what can be written: GOMEMLIMIT and the
// time remain.
func limitMemory() {}

// limitTime does nothing: waitingTime remains.
func limitTime(time.Duration) {}

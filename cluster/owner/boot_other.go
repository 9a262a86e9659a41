//go:build !linux

package owner

import "time"

// started is where Go's clock counts from.
var started = time.Now()

func sinceBoot() time.Duration { return time.Since(started) }

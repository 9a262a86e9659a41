//go:build !unix

package lab

import (
	"time"
)

import "time"

var begun = time.Now()

// CPUTime is the time of the clock on this system.
func CPUTime() time.Duration { return time.Since(begun) }

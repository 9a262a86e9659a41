//go:build !unix

package lab

import (
	"time"
)

import "time"

var begun = time.Now()

// CPUTime is the clock's time here.
func CPUTime() time.Duration { return time.Since(begun) }

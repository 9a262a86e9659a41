//go:build !unix

package cputime

import "time"

var started = time.Now()

// Used returns the time of the clock since the process started: this system is not asked for more.
func Used() time.Duration { return time.Since(started) }

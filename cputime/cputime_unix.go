//go:build unix

package cputime

import (
	"time"

	"golang.org/x/sys/unix"
)

// Used returns the processor time of the process so far, of all its threads, in user and in system
// mode.
func Used() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err) // it fails only for another argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

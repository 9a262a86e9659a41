//go:build unix

package lab

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the processor time of the process so far. Rates per second of it can be
// compared between runs on a machine that does other work too.
func CPUTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err) // it fails only for another argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

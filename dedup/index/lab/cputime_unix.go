//go:build unix

package lab

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime is how long the process has had a processor so far. Figures per second
// of it can be compared between runs of a machine that has other work too.
func CPUTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err) // it fails only for another argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

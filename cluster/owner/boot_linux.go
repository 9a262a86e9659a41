package owner

import (
	"time"

	"golang.org/x/sys/unix"
)

func sinceBoot() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		panic("every Linux that Go runs on has CLOCK_BOOTTIME: " + err.Error())
	}
	return time.Duration(t.Nano())
}

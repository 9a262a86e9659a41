package owner

import "time"

// A Clock measures time in one process. Its moments mean nothing to another.
type Clock interface {
	// Now is the time since some fixed moment. It goes on while the machine sleeps, and does not
	// jump when the date is set.
	Now() time.Duration

	// Timer sends on fires when d has passed, or later, unless stop was called before.
	Timer(d time.Duration) (fires <-chan time.Time, stop func())
}

// Boot is the time since this machine was started. If the system has no such clock it is that of
// package time, which may stand still while the machine sleeps. Then an owner that slept learns
// only from its next append that it no longer owns the log.
type Boot struct{}

var _ Clock = Boot{}

// Now returns the time since the machine was started.
func (Boot) Now() time.Duration { return sinceBoot() }

// Timer does not count the time for which the machine sleeps: then it fires late.
func (Boot) Timer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

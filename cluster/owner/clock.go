package owner

import "time"

// A Clock measures time in one process. Its moments mean nothing to another.
type Clock interface {
	// Now is the time since a moment in the past. It goes on while the machine sleeps, and
	// does not jump when the date is set.
	Now() time.Duration

	// Timer sends once a time has passed, or later, unless it was stopped before.
	Timer(d time.Duration) (fires <-chan time.Time, stop func())
}

// Boot is the clock of this machine since it was started. If the system has no such clock it is
// Go's, which may stand still while the machine sleeps: there an owner that slept learns only
// from its next append that it no longer is one.
type Boot struct{}

var _ Clock = Boot{}

// Now reads the system's clock.
func (Boot) Now() time.Duration { return sinceBoot() }

// Timer does not count while the machine sleeps: it fires late then.
func (Boot) Timer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

package owner

import (
	"errors"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
)

// Options are the settings of an owner. Lease, Slack and Drift have to be the same on all
// nodes of a cluster.
type Options struct {
	// Name is the name of the node. Take adds a random mark to it each time.
	Name string

	// Lease is how long a process owns the log after an acknowledged append. If it is short, a
	// short stop of the engine stops the crawl; if it is long, it takes long until another node
	// goes on with the work of a dead one. Default: 10 s.
	Lease time.Duration

	// Margin is the last part of the lease, in which no URL is leased, no connection opened and
	// nothing read any more, so that requests under way end within the lease. Default: 1 s.
	Margin time.Duration

	// Beat is the time after which a heartbeat is appended if there was no batch. Default: 2 s.
	Beat time.Duration

	// Slack is how much longer than the lease other processes wait. Default: .2 s.
	Slack time.Duration

	// Drift is the share by which a clock may run too fast or too slow. The clocks of machines that
	// are cheap, hot and never set differ by 1 in 10,000. Default: .001.
	Drift float64

	// Retry is the time after which an append is tried again if it is not known whether it
	// succeeded. Default: 100 ms.
	Retry time.Duration

	// Clock is the clock of this process. Default: Boot.
	Clock Clock

	// After is the number of the last entry that the caller has applied. While Take waits it calls
	// Apply with each later entry; an error of Apply ends Take. Default: Take starts at the first
	// entry and ignores the entries.
	After uint64
	Apply func(seq uint64, e engine.Entry) error

	// Tried is called with what each try came to that has to reach the log's leader: nil if the engine
	// has answered, otherwise the error after which it is tried again. Default: nobody is told.
	Tried func(error)
}

// withDefaults returns the options with their defaults, or every fault at once.
func (o Options) withDefaults() (Options, error) {
	for _, d := range []struct {
		set   *time.Duration
		value time.Duration
	}{{&o.Lease, 10 * time.Second}, {&o.Margin, time.Second}, {&o.Beat, 2 * time.Second}, {&o.Slack, 200 * time.Millisecond}, {&o.Retry, 100 * time.Millisecond}} {
		if *d.set == 0 {
			*d.set = d.value
		}
	}
	if o.Drift == 0 {
		o.Drift = .001
	}
	if o.Clock == nil {
		o.Clock = Boot{}
	}
	if o.Apply == nil {
		o.Apply = func(uint64, engine.Entry) error { return nil }
	}
	if o.Tried == nil {
		o.Tried = func(error) {}
	}
	var faults []error
	if o.Name == "" || len(o.Name) > engine.MaxOwner-mark {
		faults = append(faults, fmt.Errorf("a node's name of %d bytes: want 1 to %d", len(o.Name), engine.MaxOwner-mark))
	}
	if o.Margin < 0 || o.Slack < 0 || o.Retry < 0 || o.Beat < 0 || o.Drift < 0 || o.Drift > .1 {
		faults = append(faults, errors.New("a time is less than 0, or the drift is not between 0 and .1"))
	}
	if o.Beat+o.Margin >= o.Lease {
		faults = append(faults, fmt.Errorf("a heartbeat each %v does not renew a lease of %v that is good for all but its last %v", o.Beat, o.Lease, o.Margin))
	}
	return o, errors.Join(faults...)
}

// silence is how long nothing must have been appended, by this process's clock, before the owner
// has certainly stopped by its own clock: one clock may be fast and the other slow.
func (o Options) silence() time.Duration {
	return o.Lease + o.Slack + time.Duration(2*o.Drift*float64(o.Lease))
}

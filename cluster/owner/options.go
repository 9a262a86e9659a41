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
	// Name is the node's. What is drawn when it takes over is added to it.
	Name string

	// Lease is for how long an append that was acknowledged makes its owner the owner.
	// Shorter: a short stop of the engine stops the crawl. Longer: so is the time until
	// another node goes on with a dead one's work. Default: 10 s.
	Lease time.Duration

	// Margin is the last part of the lease, in which nothing is lent, dialled or read any more:
	// what is under way ends in it. Default: 1 s.
	Margin time.Duration

	// Beat is the time between two appends, of which one is a heartbeat if there are no
	// batches. Default: 2 s.
	Beat time.Duration

	// Slack is by how much others wait longer than the lease. Default: .2 s.
	Slack time.Duration

	// Drift is the share by which a clock may run too fast or too slow. The clocks of
	// machines that are cheap, hot and never set differ by 1 in 10,000. Default: .001.
	Drift float64

	// Retry is the time before an append whose outcome is open is tried again. Default: 100 ms.
	Retry time.Duration

	// Clock is this process's. Default: Boot.
	Clock Clock

	// After is the number of the last entry that the caller has applied, and Apply is called
	// with the ones behind it, one by one, while Take waits. Its error ends Take. Default: from
	// the first, and they are ignored.
	After uint64
	Apply func(seq uint64, e engine.Entry) error
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

// silence is how long a log must have been silent, by this process's clock, before its owner
// has surely stopped by its own: the one clock may be fast and the other one slow.
func (o Options) silence() time.Duration {
	return o.Lease + o.Slack + time.Duration(2*o.Drift*float64(o.Lease))
}

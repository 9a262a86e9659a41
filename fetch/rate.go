package fetch

import (
	"context"
	"sync"
	"time"
)

// leastBandwidth is the lowest limit of bandwidth that a crawl gets anywhere with.
const leastBandwidth = 1024

// firstGuess is the size of a body in bytes before one has come: about that of a page on
// the wire.
const firstGuess = 16 << 10

// A rate spaces requests so that their bodies together bring no more than a number of bytes
// a second. What a body will bring is not known when it is asked for: each request books the
// mean of the bodies so far, and what it brought less or more is settled afterwards. The
// bodies under way are not slowed, since a server would take that for a reader that hangs.
type rate struct {
	perSecond float64

	mu   sync.Mutex
	free time.Time // when the next request may start
	mean float64   // bytes of a body
}

func newRate(perSecond int64) *rate {
	return &rate{perSecond: float64(perSecond), mean: firstGuess}
}

// wait returns when a request may start, with what it has booked.
func (r *rate) wait(ctx context.Context) (booked float64, err error) {
	if r == nil {
		return 0, nil
	}
	r.mu.Lock()
	start := time.Now()
	if r.free.After(start) {
		start = r.free
	}
	booked = r.mean
	r.free = start.Add(r.time(booked))
	r.mu.Unlock()
	timer := time.NewTimer(time.Until(start))
	defer timer.Stop()
	select {
	case <-timer.C:
		return booked, nil
	case <-ctx.Done():
		r.mu.Lock()
		r.free = r.free.Add(-r.time(booked))
		r.mu.Unlock()
		return 0, context.Cause(ctx)
	}
}

// came settles what a request booked with what its body brought.
func (r *rate) came(booked float64, bytes int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = r.free.Add(r.time(float64(bytes) - booked))
	r.mean += (float64(bytes) - r.mean) / 16
}

// time is how long a number of bytes takes.
func (r *rate) time(bytes float64) time.Duration {
	return time.Duration(bytes / r.perSecond * float64(time.Second))
}

package fetch

import (
	"context"
	"io"
	"sync"
	"time"
)

// leastBandwidth is the lowest limit of bandwidth that a crawl gets anywhere with.
const leastBandwidth = 1024

// firstGuess is the size of a body in bytes before one has come: about that of a page on
// the wire.
const firstGuess = 16 << 10

// A rate limits the bytes a second that bodies bring together. The length of a body is not
// known when it is asked for: each request books the mean of the bodies so far and waits for
// that. A longer body is read in pieces, each when there is room for it, and the server sends
// no faster than it is read; for a shorter one the rest is given back.
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
	if err := sleepUntil(ctx, start); err != nil {
		r.mu.Lock()
		r.free = r.free.Add(-r.time(booked))
		r.mu.Unlock()
		return 0, err
	}
	return booked, nil
}

// sleepUntil waits for a time. The error is that of ctx.
func sleepUntil(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// more returns when there is room for so many bytes that no request has booked.
func (r *rate) more(bytes float64) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	start := time.Now()
	if r.free.After(start) {
		start = r.free
	}
	r.free = start.Add(r.time(bytes))
	return start
}

// piece is how many bytes of a body are read at a time: what comes in a tenth of a second.
func (r *rate) piece() int { return max(1, min(64<<10, int(r.perSecond/10))) }

// came settles what a request booked against what its body brought, once it has ended.
func (r *rate) came(booked float64, bytes int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if rest := booked - float64(bytes); rest > 0 {
		r.free = r.free.Add(-r.time(rest))
	}
	r.mean += (float64(bytes) - r.mean) / 16
}

// A paced reader reads a body as fast as the rate permits. What the crawl waits for is not the
// server's fault: the clocks of the request stand still.
type paced struct {
	io.Reader
	ctx  context.Context
	rate *rate
	left float64 // of what the request has booked
	wait func(ctx context.Context, until time.Time) error
}

func (p *paced) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b[:min(len(b), p.rate.piece())])
	p.left -= float64(n)
	if p.left >= 0 {
		return n, err
	}
	until := p.rate.more(-p.left)
	p.left = 0
	if time.Until(until) > 0 { // else a server that stalls would be given time
		if late := p.wait(p.ctx, until); late != nil {
			return n, late
		}
	}
	return n, err
}

// time is how long a number of bytes takes.
func (r *rate) time(bytes float64) time.Duration {
	return time.Duration(bytes / r.perSecond * float64(time.Second))
}

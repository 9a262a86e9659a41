package fetch

import (
	"context"
	"io"
	"sync"
	"time"
)

// leastBandwidth is the lowest bandwidth that may be set; a crawl is useless with less.
const leastBandwidth = 1024

// firstGuess is the assumed size of a body before any was received: about that of a page as
// transferred.
const firstGuess = 16 << 10

// A rate limits the bytes per second of all bodies together. The length of a body is not known when
// it is requested, so each request books the mean of the bodies so far and waits for that. A longer
// body is read in pieces, each when there is bandwidth for it, and the server sends no faster than
// it is read; for a shorter one the rest is given back.
type rate struct {
	perSecond float64

	mu   sync.Mutex
	free time.Time // when the next request may start
	mean float64   // bytes of a body
}

func newRate(perSecond int64) *rate {
	return &rate{perSecond: float64(perSecond), mean: firstGuess}
}

// wait waits until a request may start, and returns how many bytes it has booked.
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

// more returns when there is bandwidth for bytes that no request has booked.
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

// piece is how many bytes of a body are read at a time: those of a tenth of a second.
func (r *rate) piece() int { return max(1, min(64<<10, int(r.perSecond/10))) }

// came replaces what a request has booked by what its body had, after the request.
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

// A paced reader reads a body as fast as the rate permits. The time limits do not run while it
// waits, since the server is not responsible.
type paced struct {
	io.Reader
	ctx  context.Context
	rate *rate
	left float64 // booked bytes that are left
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
	if time.Until(until) > 0 { // otherwise a server that stalls would get more time
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

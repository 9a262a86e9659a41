package limit

import (
	"context"
	"sync"
	"time"
)

// A Pace limits work in the background to a share of the time. Whoever does the work calls Rest
// with a context of WithPace, at points where it holds nothing that others wait for.
type Pace struct {
	share float64 // share of the time, above 0

	mu     sync.Mutex
	last   time.Time // when the work started, or went on after a rest; zero: it rests
	free   time.Duration
	worked time.Duration
}

// NewPace returns a pace for work that starts now. The first part of it, of length free, needs no
// rests. After that the work takes this share of one processor, above 0; with 1 or more it never
// rests.
func NewPace(share float64, free time.Duration) *Pace {
	return &Pace{share: share, free: free, last: time.Now()}
}

// Worked returns how long the work took, without its rests.
func (p *Pace) Worked() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last.IsZero() {
		return p.worked
	}
	return p.worked + time.Since(p.last)
}

type paceKey struct{}

// WithPace returns a context with which Rest limits work to the pace. One context is for one
// goroutine.
func WithPace(ctx context.Context, p *Pace) context.Context {
	return context.WithValue(ctx, paceKey{}, p)
}

// Rest waits as long as the pace of the context demands, if it has one. It returns the error of
// ctx.
func Rest(ctx context.Context) error {
	if p, ok := ctx.Value(paceKey{}).(*Pace); ok {
		p.rest(ctx)
	}
	return ctx.Err()
}

func (p *Pace) rest(ctx context.Context) {
	if owed := p.owed(); owed > 0 {
		t := time.NewTimer(owed)
		defer t.Stop()
		select {
		case <-ctx.Done():
		case <-t.C:
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = time.Now()
}

// owed returns how long to rest for the work since the last rest.
func (p *Pace) owed() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := time.Since(p.last)
	p.last = time.Time{}
	p.worked += took
	over := max(0, took-p.free)
	p.free -= took - over
	return time.Duration(float64(over) * (1/p.share - 1))
}

package limit

import (
	"context"
	"slices"
	"sync"
)

// Memory bounds the bytes that pages reserve. A reservation that does not fit waits its
// turn. One page at a time may exceed the bound, so that pages which each hold a part
// of it never wait for each other.
type Memory struct {
	mu    sync.Mutex
	left  int64 // bytes; below 0 while the page whose turn it is exceeds the bound
	taken bool  // the turn
	queue []*waiter
}

// A waiter is a reservation that waits to grow.
type waiter struct {
	of    *Reservation
	n     int64
	grown chan struct{}
}

// NewMemory returns a memory of n bytes.
func NewMemory(n int64) *Memory { return &Memory{left: n} }

// Reserve returns the reservation of one page, of no bytes yet.
func (m *Memory) Reserve() *Reservation { return &Reservation{of: m} }

// A Reservation is what one page has of a Memory. It is a fetch.Memory.
type Reservation struct {
	of   *Memory
	n    int64 // the memory's lock guards it
	turn bool  // and this
}

// Grow reserves n more bytes. It waits until there are as many, or the page has its
// turn, or ctx ends, with whose error it returns then.
func (r *Reservation) Grow(ctx context.Context, n int64) error {
	if r.TryGrow(n) {
		return nil
	}
	m := r.of
	m.mu.Lock()
	w := &waiter{r, n, make(chan struct{})}
	m.queue = append(m.queue, w)
	m.admit()
	m.mu.Unlock()
	select {
	case <-w.grown:
		return nil
	case <-ctx.Done():
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.queue, w); i >= 0 {
		m.queue = slices.Delete(m.queue, i, i+1)
		m.admit()
	} // else it has grown meanwhile, and Release gives that back too
	return ctx.Err()
}

// TryGrow reserves n more bytes if no caller has to wait for them.
func (r *Reservation) TryGrow(n int64) bool {
	m := r.of
	m.mu.Lock()
	defer m.mu.Unlock()
	fits := n == 0 || r.turn || len(m.queue) == 0 && m.left >= n
	if fits {
		m.give(r, n)
	}
	return fits
}

// Shrink gives n bytes back.
func (r *Reservation) Shrink(n int64) {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	r.of.give(r, -n)
	r.of.admit()
}

// Release gives all bytes back, and the turn.
func (r *Reservation) Release() {
	m := r.of
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.turn {
		r.turn, m.taken = false, false
	}
	m.give(r, -r.n)
	m.admit()
}

func (m *Memory) give(r *Reservation, n int64) {
	r.n += n
	m.left -= n
}

// admit lets those grow that have waited longest, as far as there are bytes or a turn.
func (m *Memory) admit() {
	for len(m.queue) > 0 {
		w := m.queue[0]
		if m.left < w.n && !w.of.turn {
			if m.taken {
				return
			}
			w.of.turn, m.taken = true, true
		}
		m.give(w.of, w.n)
		close(w.grown)
		m.queue = m.queue[1:]
	}
}

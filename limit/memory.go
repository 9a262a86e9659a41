package limit

import (
	"context"
	"slices"
	"sync"
)

// Memory bounds the bytes that pages reserve. A reservation that does not fit waits. One page at a
// time has the turn, and may exceed the bound; so pages that each hold a part of the memory never
// wait for each other.
type Memory struct {
	mu    sync.Mutex
	left  int64 // free bytes; below 0 while the page that has the turn exceeds the bound
	taken bool  // a page has the turn
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

// A Reservation has the bytes that one page has reserved of a Memory. It implements fetch.Memory.
type Reservation struct {
	of   *Memory
	n    int64 // the memory's lock guards it
	turn bool  // also guarded by the memory's lock
}

// Grow reserves n more bytes. It waits until there are enough, or until the page gets the turn. If
// ctx ends first, Grow returns its error.
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
	} // otherwise it has grown in the meantime, and Release gives the bytes back
	return ctx.Err()
}

// TryGrow reserves n more bytes if that is possible without waiting.
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

// Release gives back all bytes, and the turn.
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

// admit lets reservations grow, in the order in which they wait, as long as there are enough bytes
// or the turn is free.
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

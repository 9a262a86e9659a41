package gatecrawl

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"gatecrawl/fetch"
	"gatecrawl/frontier"
	"gatecrawl/purify"
)

const (
	// readBytes is what reading a page allocates at most, for each byte of it
	// (go test ./purify -run Hostile).
	readBytes = 24

	// keptBytes is what is in hand of a page that was read, for each byte of it: its
	// body, and packed for the store body and view. linkBytes is what each of its links
	// takes until it is settled.
	keptBytes = 3
	linkBytes = 600

	// freePage is what a page may take until it is settled without asking for room:
	// nine in ten pages take less.
	freePage = 1 << 20
)

// A budget bounds the memory of bodies in hand. What grows beyond it waits for its
// turn: one page at a time may go beyond, so that pages which each hold a part of it
// never wait for each other.
type budget struct {
	mu    sync.Mutex
	left  int64 // bytes; below 0 while the page whose turn it is is beyond the budget
	taken bool  // the turn
	queue []*growth
}

// A growth is a hold that waits.
type growth struct {
	hold  *hold
	n     int64
	grown chan struct{}
}

func newBudget(n int64) *budget { return &budget{left: n} }

// hold begins what one page has of the budget, which is nothing yet.
func (b *budget) hold() *hold { return &hold{of: b} }

// A hold is what one page has of a budget. It is a fetch.Room.
type hold struct {
	of   *budget
	n    int64 // the budget's lock guards it
	turn bool  // and this
}

// Grow takes n more bytes. It waits until there are as many, or the page has its turn,
// or ctx ends, with whose error it returns then.
func (h *hold) Grow(ctx context.Context, n int64) error {
	if h.growNow(n) {
		return nil
	}
	b := h.of
	b.mu.Lock()
	g := &growth{h, n, make(chan struct{})}
	b.queue = append(b.queue, g)
	b.admit()
	b.mu.Unlock()
	select {
	case <-g.grown:
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.queue, g); i >= 0 {
		b.queue = slices.Delete(b.queue, i, i+1)
		b.admit()
	} // else it has grown meanwhile, and gives it back as ever
	return ctx.Err()
}

// growNow takes n more bytes if nobody has to wait for them.
func (h *hold) growNow(n int64) bool {
	b := h.of
	b.mu.Lock()
	defer b.mu.Unlock()
	now := n == 0 || h.turn || len(b.queue) == 0 && b.left >= n
	if now {
		b.give(h, n)
	}
	return now
}

// Shrink gives n bytes back.
func (h *hold) Shrink(n int64) {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	h.of.give(h, -n)
	h.of.admit()
}

// release gives all back, and the turn.
func (h *hold) release() {
	b := h.of
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.turn {
		h.turn, b.taken = false, false
	}
	b.give(h, -h.n)
	b.admit()
}

func (b *budget) give(h *hold, n int64) {
	h.n += n
	b.left -= n
}

// admit lets those grow who wait longest, as far as there is room or a turn.
func (b *budget) admit() {
	for len(b.queue) > 0 {
		g := b.queue[0]
		if b.left < g.n && !g.hold.turn {
			if b.taken {
				return
			}
			g.hold.turn, b.taken = true, true
		}
		b.give(g.hold, g.n)
		close(g.grown)
		b.queue = b.queue[1:]
	}
}

// inHand returns what a page takes at most until it is settled, its body not counted in,
// where that is more than is free.
func inHand(r *fetch.Response) int64 {
	links := min(bytes.Count(r.Body, []byte{'<'}), purify.MaxLinks)
	if frontier.SitemapOf(r.Body) != "" {
		links = frontier.MaxListingItems // what is packed has more than it shows
	}
	n := (keptBytes-1)*int64(len(r.Body)) + linkBytes*int64(links)
	if n <= freePage {
		return 0
	}
	return n
}

// A reading bounds what pages take while they are purified. Short pages wait for a
// processor at most, long ones until there is memory for them.
type reading struct {
	size  int64
	room  *semaphore.Weighted
	slots chan struct{}
}

func newReading(size int64) *reading {
	return &reading{size, semaphore.NewWeighted(size), make(chan struct{}, 2*runtime.GOMAXPROCS(0))}
}

// short waits for the turn of a page, until done is called. Long pages have theirs from
// long.
func (r *reading) short(page []byte) (done func()) {
	if len(page) > fetch.FreeBody {
		return func() {}
	}
	r.slots <- struct{}{}
	return func() { <-r.slots }
}

// long waits for the memory that reading a long page takes, until done is called. A
// page that takes more than there is is read alone. Where it has to wait, it does so
// within wait. Who has a turn may not ask for another.
func (r *reading) long(page []byte, wait func(fn func())) (done func()) {
	if len(page) <= fetch.FreeBody {
		return func() {}
	}
	n := min(readBytes*int64(len(page)), r.size)
	if !r.room.TryAcquire(n) {
		wait(func() {
			if err := r.room.Acquire(context.Background(), n); err != nil {
				panic("a context that never ends: " + err.Error())
			}
		})
	}
	return func() { r.room.Release(n) }
}

// atOnce is a wait that is nothing else.
func atOnce(fn func()) { fn() }

// aloof calls fn, which waits for other pages, without the place of a worker.
func (c *Crawler) aloof(fn func()) { c.room.away(true, fn) }

// mayRead waits until there is memory to read a page and to keep what is in hand of it
// then. The reading ends with v.wasRead.
func (c *Crawler) mayRead(ctx context.Context, v *Visit, r *fetch.Response, h *hold) (err error) {
	if n := inHand(r); !h.growNow(n) {
		c.aloof(func() { err = h.Grow(ctx, n) })
	}
	if err == nil {
		v.read = c.pages.long(r.Body, c.aloof)
	}
	return err
}

// wasRead ends the reading of a page, if it has not ended.
func (v *Visit) wasRead() {
	if v.read != nil {
		v.read()
		v.read = nil
	}
}

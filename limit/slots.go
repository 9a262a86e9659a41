package limit

import (
	"sync"
	"time"
)

// patience is how long a worker that waits for a host keeps its slot. A host that has
// not answered by then often never will.
const patience = time.Second

// Slots are what workers need to start a page. A worker that is blocked on a slow host
// releases its slot to a spare worker, so that hosts which do not answer delay nobody
// else. At most twice as many pages as there are slots are worked on at once.
type Slots struct {
	mu     sync.Mutex
	n      int
	freed  *sync.Cond // a slot was released
	idle   *sync.Cond // a page was finished, or waits for its host
	free   int        // below 0: blocked workers came back after their slots were given away
	active int        // pages that are worked on
}

// Resize makes them n slots. Where there are fewer then, those in use stay until they are
// released.
func (s *Slots) Resize(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free += n - s.n
	s.n = n
	s.freed.Broadcast()
	s.idle.Broadcast()
}

// NewSlots returns n slots, all free.
func NewSlots(n int) *Slots {
	s := &Slots{n: n, free: n}
	s.freed, s.idle = sync.NewCond(&s.mu), sync.NewCond(&s.mu)
	return s
}

// Acquire waits for a slot.
func (s *Slots) Acquire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.free <= 0 {
		s.freed.Wait()
	}
	s.free--
}

// Release gives a slot back.
func (s *Slots) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	s.freed.Signal()
}

// Start counts a page that is worked on, Finish one that no longer is.
func (s *Slots) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active++
}

// Finish is the end of Start.
func (s *Slots) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	s.idle.Signal()
}

// WhileBlocked calls fn, which waits for a host. After a second it releases the
// caller's slot until fn returns; where the host is not expected to answer it does so
// at once. A host that has never answered, or did not answer the last time, gets no
// slot at all.
func (s *Slots) WhileBlocked(unresponsive bool, fn func()) {
	if unresponsive {
		s.suspend()
		fn()
		s.resume()
		return
	}
	t := time.AfterFunc(patience, s.suspend)
	fn()
	if !t.Stop() {
		s.resume()
	}
}

func (s *Slots) suspend() {
	s.Finish()
	s.Release()
}

// resume goes on with a page. It does not wait for a slot, since the holders of slots may wait
// for the very page that comes back.
func (s *Slots) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.active >= s.n {
		s.idle.Wait()
	}
	s.active++
	s.free--
}

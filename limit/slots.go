package limit

import (
	"sync"
	"time"
)

// patience is how long a worker that waits for a host keeps its slot. A host that has not answered
// by then often never does.
const patience = time.Second

// Slots bounds the workers that are active. A worker that waits for a slow host gives its slot to a
// spare worker, so that hosts which do not answer delay nobody else. At most twice as many pages as
// there are slots are worked on at the same time.
type Slots struct {
	mu     sync.Mutex
	n      int
	freed  *sync.Cond // a slot was released
	idle   *sync.Cond // a page was finished, or waits for its host
	free   int        // below 0: workers came back from a host after their slots were given away
	active int        // pages that are worked on
}

// Resize changes the number of slots to n. If there are fewer than before, slots in use stay in use
// until they are released.
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

// Start counts a page that is being worked on. It does not wait.
func (s *Slots) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active++
}

// Finish ends what Start began.
func (s *Slots) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	s.idle.Signal()
}

// WhileBlocked calls fn, which waits for a host. After a second it releases the caller's slot until
// fn returns. For an unresponsive host, one that has never answered or did not answer the last
// time, it releases the slot at once.
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

// resume takes a slot again. It waits while as many pages are worked on as there are slots, but not
// for a free slot, since the holders of slots may wait for this page.
func (s *Slots) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.active >= s.n {
		s.idle.Wait()
	}
	s.active++
	s.free--
}

package gatecrawl

import (
	"sync"
	"time"
)

// patience is how long a worker that waits for a host keeps its place. A host that
// has not answered by then often never will.
const patience = time.Second

// places are what a worker needs to begin a page: Options.Workers of them. Who waits
// long for a host gives up the place to one of Options.Spare further workers, so that
// hosts which do not answer slow down nobody but themselves.
type places struct {
	mu   sync.Mutex
	left *sync.Cond // a place was given up
	free int        // below 0: workers have come back whose place was given away
}

func newPlaces(n int) *places {
	p := &places{free: n}
	p.left = sync.NewCond(&p.mu)
	return p
}

// enter waits for a place.
func (p *places) enter() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.free <= 0 {
		p.left.Wait()
	}
	p.free--
}

// leave gives a place up.
func (p *places) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free++
	p.left.Signal()
}

// back takes a place without waiting: those who hold them may wait for a page that
// the one who comes back has in hand.
func (p *places) back() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free--
}

// away calls fn, which waits for a host, without the place after a while, and
// returns with it. Of a host that never answered, or not the last time, nothing is
// hoped for: then it calls fn without the place from the start.
func (p *places) away(probe bool, fn func()) {
	if probe {
		p.leave()
		fn()
		p.back()
		return
	}
	t := time.AfterFunc(patience, p.leave)
	fn()
	if !t.Stop() {
		p.back()
	}
}

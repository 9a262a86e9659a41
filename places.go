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
// hosts which do not answer slow down nobody but themselves. At most twice as many
// pages as there are places are worked on at once.
type places struct {
	n int

	mu     sync.Mutex
	left   *sync.Cond // a place was given up
	idle   *sync.Cond // a page was finished, or waits for its host
	free   int        // below 0: workers have come back whose place was given away
	active int        // pages that are worked on
}

func newPlaces(n int) *places {
	p := &places{n: n, free: n}
	p.left, p.idle = sync.NewCond(&p.mu), sync.NewCond(&p.mu)
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

// begin counts a page that is worked on, end one that no longer is.
func (p *places) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active++
}

func (p *places) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active--
	p.idle.Signal()
}

// away calls fn, which waits for a host, without the place after a while, and
// returns with it. Of a host that never answered, or not the last time, nothing is
// hoped for: then it calls fn without the place from the start.
func (p *places) away(probe bool, fn func()) {
	if probe {
		p.out()
		fn()
		p.back()
		return
	}
	t := time.AfterFunc(patience, p.out)
	fn()
	if !t.Stop() {
		p.back()
	}
}

func (p *places) out() {
	p.end()
	p.leave()
}

// back goes on with a page. It does not wait for a place: those who hold one may
// wait for the very page that comes back.
func (p *places) back() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.active >= p.n {
		p.idle.Wait()
	}
	p.active++
	p.free--
}

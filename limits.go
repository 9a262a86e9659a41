package gatecrawl

import "sync"

// limits keep a crawl within Options.MaxPages and MaxBytes: a worker takes a
// place before a page and gives back what it did not use, so that exactly
// MaxPages pages are answered.
type limits struct {
	pages, bytes int64 // 0: no limit

	mu       sync.Mutex
	back     *sync.Cond // a place was given back, or the end is here
	answered int64
	received int64
	taken    int64
	over     bool
}

func newLimits(o Options, t Totals) *limits {
	l := &limits{pages: o.MaxPages, bytes: o.MaxBytes, answered: t.Fetched, received: t.Wire}
	l.back = sync.NewCond(&l.mu)
	return l
}

// take waits for a place. False: none will come.
func (l *limits) take() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.over && !l.full() && l.pages > 0 && l.answered+l.taken >= l.pages {
		l.back.Wait()
	}
	if l.over || l.full() {
		return false
	}
	l.taken++
	return true
}

// full reports whether a limit is reached.
func (l *limits) full() bool {
	return l.pages > 0 && l.answered >= l.pages || l.bytes > 0 && l.received >= l.bytes
}

// give returns a place, with what was fetched in it.
func (l *limits) give(answered, received int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken--
	l.answered += answered
	l.received += received
	l.back.Broadcast()
}

// stop lets nobody wait any longer.
func (l *limits) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	l.back.Broadcast()
}

// ended says which limit was reached, if one was.
func (l *limits) ended() Ended {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.pages > 0 && l.answered >= l.pages:
		return PageLimit
	case l.bytes > 0 && l.received >= l.bytes:
		return SizeLimit
	}
	return Done
}

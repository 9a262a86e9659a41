package limit

import "sync"

// A Quota ends a run after a number of pages or of bytes. A worker reserves a page before it asks
// for a URL, and gives back what it did not use, so the number of answered pages is never above the
// limit. For bytes, a page under way counts as long as the mean of the pages before it. So the
// limit can be exceeded by the difference, and at most by the pages under way.
type Quota struct {
	reached func() // called when a limit is reached, so that nobody waits for a URL

	mu       sync.Mutex
	returned *sync.Cond // a page was given back, a limit was changed, or Stop was called
	pages    int64      // 0: no limit
	bytes    int64      // 0: no limit
	answered int64
	received int64
	reserved int64
	bodies   int64 // answers with a body in this run,
	length   int64 // and the sum of their lengths
	over     bool
}

// usualPage is the length that is assumed before any page is known: about the median of HTML pages
// on the web as sent, in bytes.
const usualPage = 16 << 10

// A Reached says which limit of a quota ended the run.
type Reached int

// The limits of a quota.
const (
	None Reached = iota
	Pages
	Bytes
)

// NewQuota returns a quota of pages and bytes, of which some are already used; 0 means no limit. It
// calls reached when a limit is reached, perhaps at once and perhaps more than once.
func NewQuota(pages, bytes, answered, received int64, reached func()) *Quota {
	q := &Quota{pages: pages, bytes: bytes, reached: reached, answered: answered, received: received}
	q.returned = sync.NewCond(&q.mu)
	if q.full() {
		reached()
	}
	return q
}

// Reserve waits until one more page may be visited. It returns false if none may be any more.
func (q *Quota) Reserve() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.over && !q.full() && q.allReserved() {
		q.returned.Wait()
	}
	if q.over || q.full() {
		return false
	}
	q.reserved++
	return true
}

// allReserved reports whether the pages under way are likely to reach a limit.
func (q *Quota) allReserved() bool {
	if q.pages > 0 && q.answered+q.reserved >= q.pages {
		return true
	}
	mean := (q.length + usualPage) / (q.bodies + 1)
	return q.bytes > 0 && q.reserved > 0 && q.received+q.reserved*mean >= q.bytes
}

// full reports whether a limit is reached.
func (q *Quota) full() bool {
	return q.pages > 0 && q.answered >= q.pages || q.bytes > 0 && q.received >= q.bytes
}

// Use ends a reservation. answered is the number of pages that were answered (0 or 1), and received
// the bytes that were received.
func (q *Quota) Use(answered, received int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.reserved--
	q.answered += answered
	q.received += received
	if received > 0 {
		q.bodies++
		q.length += received
	}
	if q.full() {
		q.reached()
	}
	q.returned.Broadcast()
}

// SetLimits changes the limits. If a limit was reached the run has ended, and a higher limit does
// not start it again.
func (q *Quota) SetLimits(pages, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pages, q.bytes = pages, bytes
	if q.full() {
		q.reached()
	}
	q.returned.Broadcast()
}

// Stop wakes all waiting callers.
func (q *Quota) Stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.over = true
	q.returned.Broadcast()
}

// Reached returns which limit was reached.
func (q *Quota) Reached() Reached {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.pages > 0 && q.answered >= q.pages:
		return Pages
	case q.bytes > 0 && q.received >= q.bytes:
		return Bytes
	}
	return None
}

package crawl

import "time"

// SetClock has a crawl keep its quiet hours by another clock, which it looks at when ticks
// says so.
func (c *Crawl) SetClock(now func() time.Time, ticks <-chan time.Time) {
	c.clock = clock{now, func(time.Duration) <-chan time.Time { return ticks }}
}

// NextLook is when a crawl looks at its quiet hours again.
var NextLook = nextLook

// Package recent remembers the URLs that a queue met last, so that a link that brings nothing
// new costs no look-up.
package recent

import (
	"encoding/binary"
	"math"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A cache of keys starts with fewSlots of 28 bytes and doubles, each time that half of them may
// be taken, up to mostSlots, which are 15 MB. Most links of a site are to known pages, and often to
// pages met just before; what is not here costs a look-up in the queue's files, where a job is large.
const (
	fewSlots  = 1 << 10
	mostSlots = 1 << 19
)

// A URL is what is remembered of a URL that was met.
type URL struct {
	Score float32 // +Inf: it is done; -Inf: it was refused
	Plain float32 // the score without cash
	Cash  float32 // what its record says; below 0: it gets no more
	Rated float32 // it is done: Rated of its record
	Links uint32  // it is done: pages on which a link to it was rated, as far as is remembered
}

// Decided reports whether the URL does not wait.
func (m URL) Decided() bool { return math.IsInf(float64(m.Score), 0) }

// Done reports whether the URL was settled.
func (m URL) Done() bool { return math.IsInf(float64(m.Score), 1) }

// URLs are those that were met last. They belong to the writer's goroutine.
type URLs struct {
	keys  []weburl.Key
	mets  []met
	taken int // keys that took a slot of another key or an empty one
}

// A met is a URL in less memory: what is remembered of one that is done differs from what is remembered
// of others.
type met struct {
	score float32
	plain float32 // it is done: Rated
	cash  uint32  // the bits of Cash; it is done: Links
}

func pack(m URL) met {
	if m.Done() {
		return met{m.Score, m.Rated, m.Links}
	}
	return met{m.Score, m.Plain, math.Float32bits(m.Cash)}
}

func (p met) url() URL {
	m := URL{Score: p.score}
	if m.Done() {
		m.Plain, m.Rated, m.Links = p.score, p.plain, p.cash
	} else {
		m.Plain, m.Cash = p.plain, math.Float32frombits(p.cash)
	}
	return m
}

// New remembers no URL.
func New() *URLs { return withSlots(fewSlots) }

func withSlots(slots int) *URLs {
	return &URLs{keys: make([]weburl.Key, slots), mets: make([]met, slots)}
}

func (c *URLs) slot(k weburl.Key) uint64 {
	return binary.BigEndian.Uint64(k[8:]) % uint64(len(c.keys))
}

// Get returns what is remembered of a URL.
func (c *URLs) Get(k weburl.Key) (m URL, ok bool) {
	i := c.slot(k)
	if c.keys[i] != k {
		return URL{}, false
	}
	return c.mets[i].url(), true
}

// Put remembers a URL, and may forget another for it.
func (c *URLs) Put(k weburl.Key, m URL) {
	i := c.slot(k)
	if c.keys[i] != k {
		if c.taken++; c.taken > len(c.keys)/2 && len(c.keys) < mostSlots {
			c.double()
			i = c.slot(k)
		}
	}
	c.keys[i], c.mets[i] = k, pack(m)
}

// double gives the cache twice as many slots.
func (c *URLs) double() {
	more := withSlots(2 * len(c.keys))
	for i, k := range c.keys {
		if k != (weburl.Key{}) {
			at := more.slot(k)
			more.keys[at], more.mets[at] = k, c.mets[i]
			more.taken++
		}
	}
	*c = *more
}

// PutDone remembers a URL that is done, how its page was rated, and on how many pages a link to it was.
func (c *URLs) PutDone(k weburl.Key, rated float32, links uint16) {
	inf := float32(math.Inf(1))
	n := uint32(links)
	if m, ok := c.Get(k); ok && m.Done() {
		n = max(n, m.Links)
	}
	c.Put(k, URL{Score: inf, Plain: inf, Rated: rated, Links: n})
}

// Linked counts one more page on which a link to a URL was rated, if it is remembered as done.
func (c *URLs) Linked(k weburl.Key) {
	if i := c.slot(k); c.keys[i] == k && c.mets[i].url().Done() {
		c.mets[i].cash++
	}
}

// PutRefused remembers a URL that was refused.
func (c *URLs) PutRefused(k weburl.Key) {
	inf := float32(math.Inf(-1))
	c.Put(k, URL{Score: inf, Plain: inf})
}

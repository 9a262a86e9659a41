package queue

import (
	"encoding/binary"
	"math"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A cache of keys begins with fewSlots of 32 bytes and doubles, each time that half of them may
// be taken, up to mostSlots. Most links of a site are to pages met before, and often ones
// met just before.
const (
	fewSlots  = 1 << 10
	mostSlots = 1 << 17
)

// A met is what is remembered of a URL that was met.
type met struct {
	score float32 // +Inf: it is done; -Inf: it was refused
	plain float32 // the score without cash
	cash  float32 // what its record says; below 0: it gets no more
	rated float32 // it is done: Record.Rated
	links uint32  // it is done: pages on which a link to it was rated, as far as is remembered
}

// decided reports whether the URL does not wait.
func (m met) decided() bool { return math.IsInf(float64(m.score), 0) }

// done reports whether the URL was settled.
func (m met) done() bool { return math.IsInf(float64(m.score), 1) }

// A knownCache remembers recently met URLs, so that a link that brings nothing new costs no
// look-up. It belongs to the writer's goroutine.
type knownCache struct {
	keys  []weburl.Key
	mets  []met
	taken int // keys that took a slot of another key or an empty one
}

func newKnownCache() *knownCache { return knownCacheOf(fewSlots) }

func knownCacheOf(slots int) *knownCache {
	return &knownCache{keys: make([]weburl.Key, slots), mets: make([]met, slots)}
}

func (c *knownCache) slot(k weburl.Key) uint64 {
	return binary.BigEndian.Uint64(k[8:]) % uint64(len(c.keys))
}

func (c *knownCache) get(k weburl.Key) (m met, ok bool) {
	i := c.slot(k)
	if c.keys[i] != k {
		return met{}, false
	}
	return c.mets[i], true
}

func (c *knownCache) put(k weburl.Key, m met) {
	i := c.slot(k)
	if c.keys[i] != k {
		if c.taken++; c.taken > len(c.keys)/2 && len(c.keys) < mostSlots {
			c.double()
			i = c.slot(k)
		}
	}
	c.keys[i], c.mets[i] = k, m
}

// double gives the cache twice as many slots.
func (c *knownCache) double() {
	more := knownCacheOf(2 * len(c.keys))
	for i, k := range c.keys {
		if k != (weburl.Key{}) {
			at := more.slot(k)
			more.keys[at], more.mets[at] = k, c.mets[i]
			more.taken++
		}
	}
	*c = *more
}

// putDone remembers a URL that is done, how its page was rated, and on how many pages a link to it was.
func (c *knownCache) putDone(k weburl.Key, rated float32, links uint16) {
	inf := float32(math.Inf(1))
	n := uint32(links)
	if m, ok := c.get(k); ok && m.done() {
		n = max(n, m.links)
	}
	c.put(k, met{score: inf, plain: inf, rated: rated, links: n})
}

// linked counts one page more on which a link to a URL was rated, if it is remembered as done.
func (c *knownCache) linked(k weburl.Key) {
	if i := c.slot(k); c.keys[i] == k && c.mets[i].done() {
		c.mets[i].links++
	}
}

// putRefused remembers a URL that was refused.
func (c *knownCache) putRefused(k weburl.Key) {
	inf := float32(math.Inf(-1))
	c.put(k, met{score: inf, plain: inf})
}

package queue

import (
	"encoding/binary"
	"math"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// knownSlots is the size of the cache of keys: 2^17 slots of 32 bytes. Most
// links of a site are to pages met before, and often ones met just before.
const knownSlots = 1 << 17

// A met is what is remembered of a URL that was met.
type met struct {
	score float32 // +Inf: it is done; -Inf: it was refused
	plain float32 // the score without cash
	cash  float32 // what its record says; below 0: it gets no more
	rated float32 // it is done: Record.Rated
}

// decided reports whether the URL does not wait.
func (m met) decided() bool { return math.IsInf(float64(m.score), 0) }

// A knownCache remembers recently met URLs, so that a link that brings nothing new costs no
// look-up. It belongs to the writer's goroutine.
type knownCache struct {
	keys []weburl.Key
	mets []met
}

func newKnownCache() *knownCache {
	return &knownCache{make([]weburl.Key, knownSlots), make([]met, knownSlots)}
}

func slot(k weburl.Key) uint64 { return binary.BigEndian.Uint64(k[8:]) % knownSlots }

func (c *knownCache) get(k weburl.Key) (m met, ok bool) {
	i := slot(k)
	if c.keys[i] != k {
		return met{}, false
	}
	return c.mets[i], true
}

func (c *knownCache) put(k weburl.Key, m met) {
	i := slot(k)
	c.keys[i], c.mets[i] = k, m
}

// putDone remembers a URL that is done, and how its page was rated.
func (c *knownCache) putDone(k weburl.Key, rated float32) {
	inf := float32(math.Inf(1))
	c.put(k, met{score: inf, plain: inf, rated: rated})
}

// putRefused remembers a URL that was refused.
func (c *knownCache) putRefused(k weburl.Key) {
	inf := float32(math.Inf(-1))
	c.put(k, met{score: inf, plain: inf})
}

// ratedAs returns how the page of a URL was rated; done is false where the URL is not done.
func (c *knownCache) ratedAs(k weburl.Key) (rated float32, done, known bool) {
	m, known := c.get(k)
	if !known || !math.IsInf(float64(m.score), 1) {
		return 0, false, known
	}
	return m.rated, true, true
}

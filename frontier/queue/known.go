package queue

import (
	"encoding/binary"
	"math"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// knownSlots is the size of the cache of keys: 2^17 slots of 24 bytes. Most
// links of a site are to pages met before, and often ones met just before.
const knownSlots = 1 << 17

// A knownCache remembers of recently met URLs the score they have, so that a
// link that brings nothing new costs no look-up: +Inf for a URL that is done,
// -Inf for one that was refused. It belongs to the writer's goroutine.
type knownCache struct {
	keys   []weburl.Key
	scores []float32
	rated  []float32 // of URLs that are done: Record.Rated
}

func newKnownCache() *knownCache {
	return &knownCache{make([]weburl.Key, knownSlots), make([]float32, knownSlots), make([]float32, knownSlots)}
}

func slot(k weburl.Key) uint64 { return binary.BigEndian.Uint64(k[8:]) % knownSlots }

func (c *knownCache) get(k weburl.Key) (float32, bool) {
	i := slot(k)
	if c.keys[i] != k {
		return float32(math.NaN()), false
	}
	return c.scores[i], true
}

func (c *knownCache) put(k weburl.Key, score float32) {
	i := slot(k)
	c.keys[i], c.scores[i], c.rated[i] = k, score, 0
}

// putDone remembers a URL that is done, and how its page was rated.
func (c *knownCache) putDone(k weburl.Key, rated float32) {
	c.put(k, float32(math.Inf(1)))
	c.rated[slot(k)] = rated
}

// ratedAs returns how the page of a URL was rated; done is false where the URL is not done.
func (c *knownCache) ratedAs(k weburl.Key) (rated float32, done, known bool) {
	score, known := c.get(k)
	if !known || !math.IsInf(float64(score), 1) {
		return 0, false, known
	}
	return c.rated[slot(k)], true, true
}

// Package recent remembers the URLs that a queue met last, so that a link that brings nothing
// new costs no look-up.
package recent

import (
	"encoding/binary"
	"iter"
	"math"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A cache of keys starts with fewSlots of 64 bytes and doubles, each time that half of them may
// be taken, up to mostSlots, which are 17 MB. Most links of a site are to known pages, and often to pages met
// just before.
const (
	fewSlots  = 1 << 10
	mostSlots = 1 << 18
)

// A URL is what is remembered of a URL that was met. With its key it fills a line of the
// processor's cache.
type URL struct {
	Score float32 // +Inf: it is done; -Inf: it was refused
	Plain float32 // the score without cash
	Cash  float32 // what its record says; below 0: it gets no more
	Rated float32 // it is done: Rated of its record
	Links uint32  // it is done: pages on which a link to it was rated, as far as is remembered

	// What pages have paid it since its record was written.
	Owed   float32 // 0: nothing
	Placed float32 // the cash by which it stands in the queue
	Due    bool    // its cash has doubled since
	More   bool    // it is done: Links is more than its record says
	Order  uint64  // of its discovery
	First  uint64  // the number of the first page whose payment its record lacks
}

// Decided reports whether the URL does not wait.
func (m *URL) Decided() bool { return math.IsInf(float64(m.Score), 0) }

// Done reports whether the URL was settled.
func (m *URL) Done() bool { return math.IsInf(float64(m.Score), 1) }

// URLs are those that were met last. They belong to the writer's goroutine.
type URLs struct {
	slots []slot
	taken int // keys that took a slot of another key or an empty one
}

type slot struct {
	key weburl.Key
	URL
}

// New remembers no URL.
func New() *URLs { return &URLs{slots: make([]slot, fewSlots)} }

func (c *URLs) slot(k weburl.Key) *slot {
	return &c.slots[binary.BigEndian.Uint64(k[8:])%uint64(len(c.slots))]
}

// Get returns what is remembered of a URL, to be changed until the next Put; nil: nothing is.
func (c *URLs) Get(k weburl.Key) *URL {
	if s := c.slot(k); s.key == k {
		return &s.URL
	}
	return nil
}

// Put remembers a URL. It returns the other one that is forgotten for it, if there is one of which
// more is known than its record says: it is owed something, or has More set.
func (c *URLs) Put(k weburl.Key, m URL) (forgotten weburl.Key, known URL) {
	s := c.slot(k)
	if s.key != k {
		if c.taken++; c.taken > len(c.slots)/2 && len(c.slots) < mostSlots {
			c.double()
			s = c.slot(k)
		}
		if s.Owed != 0 || s.More {
			forgotten, known = s.key, s.URL
		}
	}
	*s = slot{k, m}
	return forgotten, known
}

// double gives the cache twice as many slots. URLs of different slots do not meet in one.
func (c *URLs) double() {
	more := URLs{slots: make([]slot, 2*len(c.slots))}
	for i := range c.slots {
		if s := &c.slots[i]; s.key != (weburl.Key{}) {
			*more.slot(s.key) = *s
			more.taken++
		}
	}
	*c = more
}

// All ranges over the URLs that are remembered.
func (c *URLs) All() iter.Seq2[weburl.Key, *URL] {
	return func(yield func(weburl.Key, *URL) bool) {
		for i := range c.slots {
			if s := &c.slots[i]; s.key != (weburl.Key{}) && !yield(s.key, &s.URL) {
				return
			}
		}
	}
}

// Done returns what is to be remembered of a URL that is done, how its page was rated, and on how
// many pages a link to it was.
func (c *URLs) Done(k weburl.Key, rated float32, links uint16) URL {
	inf := float32(math.Inf(1))
	n, more := uint32(links), false
	if m := c.Get(k); m != nil && m.Done() && m.Links > n {
		n, more = m.Links, true
	}
	return URL{Score: inf, Plain: inf, Rated: rated, Links: n, More: more}
}

// Linked counts one more page on which a link to a URL was rated, if it is remembered as done.
func (c *URLs) Linked(k weburl.Key) {
	if m := c.Get(k); m != nil && m.Done() {
		m.Links++
		m.More = true
	}
}

// Refused is what is to be remembered of a URL that was refused.
func Refused() URL {
	inf := float32(math.Inf(-1))
	return URL{Score: inf, Plain: inf}
}

package soft404

import (
	"sync"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/limit"
)

const (
	// maxKnown bounds how many error pages are held in memory, some 200 bytes each.
	maxKnown = 20_000

	// repeatedCopies is the copy of one page on one host that raises suspicion, or the page that says the same
	// as others apart from its URL.
	repeatedCopies = 3
)

// A Detector remembers error pages by the URL of their probe. Its methods may be
// called from many goroutines.
type Detector struct {
	mu     sync.Mutex
	known  map[weburl.Key]ErrorPage
	copies map[copyKey]int // of a kept page, or of what pages say apart from their URLs, found on one host
}

type copyKey struct {
	host weburl.HostKey
	kept dedup.Ref
	text Text
}

// NewDetector returns an empty detector.
func NewDetector() *Detector {
	return &Detector{known: make(map[weburl.Key]ErrorPage), copies: make(map[copyKey]int)}
}

// Known returns the error page at a probe, and whether the probe was made.
func (d *Detector) Known(probe weburl.Key) (ErrorPage, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.known[probe]
	return e, ok
}

// Learn remembers what a probe brought, in place of any other if there are too many.
func (d *Detector) Learn(probe weburl.Key, e ErrorPage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	limit.Put(d.known, maxKnown, probe, e)
}

// RepeatedCopy counts a copy of a kept page, and reports whether the URL's host has so many of
// them that they may not be documents.
func (d *Detector) RepeatedCopy(u weburl.URL, kept dedup.Ref) bool {
	return d.repeated(copyKey{host: u.Key().Host(), kept: kept})
}

// RepeatedText is RepeatedCopy for pages that say the same apart from their URLs. It is false for the zero Text.
func (d *Detector) RepeatedText(u weburl.URL, t Text) bool {
	return t != 0 && d.repeated(copyKey{host: u.Key().Host(), text: t})
}

func (d *Detector) repeated(k copyKey) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.copies) >= maxKnown {
		clear(d.copies) // hosts are counted again
	}
	d.copies[k]++
	return d.copies[k] >= repeatedCopies
}

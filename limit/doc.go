// Package limit bounds what the workers of a crawl use at once: Slots for workers, a
// Memory of bytes that pages reserve, a ParseMemory for pages that are being parsed,
// a Quota of pages and bytes for a whole run, and a Pace for work in the background.
// Put bounds a map that remembers.
//
// Callers wait within a context or until Stop, and none waits for ever for another that waits
// too: each type says why. The package knows nothing of crawling.
package limit

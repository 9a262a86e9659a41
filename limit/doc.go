// Package limit bounds what the workers of a crawl use at the same time: Slots bound active
// workers, a Memory the bytes that pages reserve, a ParseMemory the pages that are being parsed, a
// Quota the pages and bytes of a whole run, and a Pace work in the background. Put bounds a map
// that is used as a cache.
//
// Callers wait until ctx ends or Stop is called. No caller waits for ever for another that waits
// too; the comment of each type says why. The package does not know about crawling.
package limit

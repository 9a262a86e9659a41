// Package priority computes the score of an unvisited URL from what is known about it.
//
// Signals are the facts. They are small enough to be stored with every queued URL, so that a score
// can be computed again when one of them changes, and explained term by term. A Topic is what a
// focused crawl looks for: it rates the relevance of pages and of anchor texts.
//
// Scores are comparable within one job; a higher score is fetched earlier. The package keeps no
// state of the crawl.
package priority

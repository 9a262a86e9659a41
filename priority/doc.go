// Package priority turns what is known of an unvisited URL into its score.
//
// Signals are the facts, small enough to be stored with every queued URL, so
// that a score can be computed again when one of them changes and explained
// term by term. A Topic is what a focused crawl looks for: it rates the
// relevance of a page and of an anchor text.
//
// Scores compare within one job; a higher score is fetched earlier. The
// package keeps no state of the crawl.
package priority

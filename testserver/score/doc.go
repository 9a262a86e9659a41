// Package score judges a crawl of the test web.
//
// Truth lists the pages that there are and which of them are copies. A Record is what
// a crawler said of one page. Score compares the two and returns a Report: precision
// and recall of exact and near copies, which pages were missed, and which were fetched
// that robots.txt forbids.
//
// The truth comes from the generator and never from the gate's own texts or
// fingerprints.
package score

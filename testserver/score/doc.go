// Package score judges a crawl of the test web.
//
// Truth lists the existing pages and says which of them are copies. A Record is what a crawler said
// about one page. Score compares the two and returns a Report: precision and recall of exact and
// near copies, pages that were missed, and pages that were fetched although robots.txt forbids it.
//
// The truth comes from the generator and never from the gate's own texts or fingerprints.
package score

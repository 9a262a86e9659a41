// Package revisit decides when pages that were visited are asked for again.
//
// A Plan is a re-crawl: which settled URLs go back into the queue, and in which order.
// Kept pages are asked for, those first of which a visit is worth most; of their copies,
// and of redirects and URLs without a page, a sample is, others each time. How often a
// page changes is counted in its Rate, and estimated after Cho and Garcia-Molina (2003).
// A Hint is what points at a copy that may have changed alone: a sitemap that says so, or
// another copy of its host that did.
//
// All of it is stored in tables of a kv.Store. What became of a group whose kept page changed
// is dedup/group's business; the queue is a Job's.
package revisit

// Package revisit decides when pages that were visited are asked for again.
//
// A Plan is a re-crawl: which settled URLs go back into the queue, and in which order. Kept
// pages are asked for in the order of what a visit is worth; of their copies, and of redirects
// and URLs without a page, a sample is asked for, others each time. How often a page changes is
// counted in its Rate, and estimated after Cho and Garcia-Molina (2003). A Hint points at a
// copy that may have changed without its kept page: a sitemap says so, or another copy of its
// host did.
//
// All of it is stored in tables of a kv.Store. What became of a group whose kept page changed
// is dedup/group's business; the queue is a Job's.
package revisit

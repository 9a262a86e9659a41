// Package revisit decides when visited pages are visited again.
//
// A Plan is a re-crawl: which settled URLs are queued again, and in which order. Kept pages are
// queued in the order of what a visit is worth; of their copies, and of redirects and URLs without
// a page, a sample is queued, a different one each time. How often a page changes is counted in its
// Rate, and estimated after Cho and Garcia-Molina (2003). A Hint names a copy that may have changed
// without its kept page, because a sitemap says so, or another copy of its host did.
//
// All of it is stored in tables of a kv.Store. Package dedup/group decides what becomes of a group
// whose kept page has changed; a Job provides the queue.
package revisit

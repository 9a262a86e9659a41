// Package gatecrawl is a web crawler with a duplicate gate: what was met before
// is not kept again, and every copy is a vote for the page that was kept.
//
// A visit is a page's way from a lease to a record, and Crawler.visit is the one place where
// that way is read. A page.Record is what is kept of a visit, a Store makes visits durable, and
// Run is the crawl.
//
// The package wires the nouns (frontier, fetch, purify, dedup, priority)
// through their contracts. It knows no files, no flags and no backend.
package gatecrawl

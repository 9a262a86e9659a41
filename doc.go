// Package gatecrawl is a web crawler with a duplicate gate: what was met before
// is not kept again, and every copy is a vote for the page that was kept.
//
// A Visit is one page's way from a lease to a record; Crawler.visit is the one
// place where that way is read. A Page is the record of a visit, a Store is
// where visits become durable, and Run is the crawl.
//
// The package wires the nouns (frontier, fetch, purify, dedup, priority)
// through their contracts. It knows no files, no flags and no backend.
package gatecrawl

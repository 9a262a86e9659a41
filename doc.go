// Package gatecrawl is a web crawler with a duplicate gate: a page that the crawl has met before is
// not kept again. It is recorded as a copy, and counts as a vote for the page that was kept.
//
// A visit is the processing of one URL, from the lease of the URL to the record of the outcome;
// Crawler.visit shows all its steps. A page.Record is the outcome of a visit, a Store makes visits
// durable, and Crawler.Run runs the crawl.
//
// The package connects the packages frontier, fetch, purify, dedup and priority through their
// interfaces. It knows nothing of files, flags or storage backends.
package gatecrawl

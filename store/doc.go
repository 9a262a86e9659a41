// Package store is the embedded backlog and record of a crawl: a job folder,
// written by one goroutine that commits many visits at once.
//
// It keeps a job in the tables of package kv, each declared next to the code that owns its
// rows: later (URLs that wait for another try), pages (records in crawl order), views and
// bodies of kept pages, signatures, outlinks, votes, groups and others. The tables sites,
// templates and again record what the pages of a host repeat; hosts, urls (every URL ever seen)
// and queue (the URLs of a host, best score first) are scattered ones. The engine is kv/disk.
// The layout is in docs/formats.md.
//
// A visit is one transaction, and visits that settle at about the same time share a commit,
// which is a txn. Everything else in memory (leases, the order of hosts, the gate's tables, a
// cache of keys) is rebuilt when the job is opened; the filter in front of the URLs is a mapped
// file.
//
// The package does not fetch and does not decide; it opens a job, composes the nouns into
// one transaction and closes it, as gatecrawl.Store and gatecrawl.Inspector. Package query
// answers what a job is asked, and package integrity checks and repairs it.
package store

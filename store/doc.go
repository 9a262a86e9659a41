// Package store is the embedded backlog and record of a crawl: a job folder, which one goroutine
// writes, with many visits in one commit.
//
// It keeps a job in the tables of package kv, each declared next to the code that owns its rows:
// later (URLs that wait for a retry), pages (records in crawl order), views and bodies of kept
// pages, signatures, outlinks, votes, groups and others. The tables sites, templates and again
// record what the pages of a host repeat. The tables hosts, urls (every URL ever seen) and queue
// (the URLs of a host, best score first) are scattered ones. The engine is kv/disk. The layout is
// in docs/formats.md.
//
// A visit is one transaction, and visits that settle at about the same time share a commit, which
// is a txn. Everything else in memory (leases, the order of hosts, the gate's tables, a cache of
// keys) is rebuilt when the job is opened; the filter in front of the URLs is a mapped file.
//
// The package does not fetch and makes no decisions about pages. It opens a job, combines what
// other packages decide into one transaction and closes the job, as gatecrawl.Store and
// gatecrawl.Inspector. Package query answers questions about a job, and package integrity checks
// and repairs it.
package store

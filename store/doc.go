// Package store is the embedded backlog and record of a crawl: one bbolt file
// in a job folder, written by one goroutine that commits many visits at once.
//
// A job is a folder. Its file has a bucket for each noun: hosts, urls (every
// address ever met, by key), queue (host, then best score first), later
// (addresses that wait for another try), pages (records in crawl order), views
// and bodies of kept pages, signatures, outlinks, votes and groups; sites,
// templates and again are about what the pages of a host repeat. The layout is
// in docs/formats.md.
//
// A visit is one transaction. What is in memory besides (leases, the order of
// hosts, the gate's tables, a cache of keys) is rebuilt when the job is opened;
// the filter in front of the urls bucket lies in a mapped file of its own.
//
// The package does not fetch and does not decide; it implements
// gatecrawl.Store and gatecrawl.Inspector.
package store

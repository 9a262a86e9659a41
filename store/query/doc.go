// Package query reads a job: its records by page, by URL and by group, what is kept of a page,
// which pages are near it, the links between pages, its hosts, which sites are copies of each
// other and what waits in the queue. It answers the questions of a gatecrawl.Inspector, each
// from a snapshot, and changes nothing.
package query

// Package query reads a job: its records by page, by URL and by group, what is kept of a page,
// which pages are near one, the links between them, its hosts, which sites are copies of each
// other and what waits in the queue.
// It answers what a gatecrawl.Inspector is asked, each from a snapshot, and changes nothing.
package query

// Package query answers the questions of a gatecrawl.Inspector about a job: records by page, by URL
// and by group, what is stored of a page, the pages near it, the links between pages, hosts, sites
// that are copies of each other, and the queue. Each answer comes from a snapshot, and nothing is
// changed.
package query

// Package robots reads what site owners ask of crawlers: robots.txt, the robots meta element and
// the X-Robots-Tag header.
//
// A File is what a site answered to a request for its robots.txt, as it is cached and stored. Its
// Rules say for each URL whether it may be requested, by which line, and how long to wait between
// two requests. Directives are what a single page asks for.
//
// robots.txt is read according to RFC 9309 and, where that leaves room, like Google's published
// parser; both are tested by a table of cases. Invalid lines are skipped, a hostile file costs no
// more than a plain search, and only the first 500 KiB count. The package sends no requests:
// package fetch does.
//
// A Comparer shows where temoto/robotstxt, which many crawlers written in Go use, comes to another
// verdict, and why.
package robots

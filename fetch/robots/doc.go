// Package robots reads what site owners ask of crawlers: robots.txt, the robots meta
// element and the X-Robots-Tag header.
//
// A File is what a site answered when it was asked for its robots.txt, as it is cached and
// stored. Rules are what follows from it: they say for each URL whether it may be
// requested, by which line, and how long to wait between two requests. Directives are what
// the owner of one page asks for that page.
//
// robots.txt is read as RFC 9309 says and, where that leaves room, as Google's published parser
// reads it; both are tested by a table of cases. What cannot be read is skipped, a hostile file
// costs no more than a plain search, and only the first 500 KiB count. The package sends no
// requests: package fetch does.
//
// A Comparer says where temoto/robotstxt, which many crawlers written in Go use, comes to
// another verdict, and why.
package robots

// Package linkgraph keeps the links of kept pages: source, target, the link's words, nofollow,
// and whether it is in the page's body.
//
// A page's links are one entry of a file, written once. Tables of the job say where the entry
// of a page is and how far each file is committed. An Add becomes durable with its transaction:
// files are synced before the commit that counts what is in them, and what a crash left behind
// that is cut off by Open. An entry that no row names any more, of a page that was read again
// or replaced, stays in its file and is not read.
//
// A target is kept as its host's key and 7 bytes of the rest of its URL's key (weburl.Key): two
// of a million URLs of a host share a name with a chance of 1 in 140,000. The URL's text is in
// the job's table of URLs.
//
// The package knows neither pages nor URLs: what a number of a page is, and whether its links
// are still of interest, is the caller's business.
package linkgraph

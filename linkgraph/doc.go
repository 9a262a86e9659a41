// Package linkgraph stores the links of kept pages: source, target, the words of the link,
// nofollow, and whether the link is in the page's body.
//
// A page's links are one entry of a file, written once. Tables of the job say where the entry of a
// page is and how much of each file is committed. An Add becomes durable with its transaction:
// files are synced before the commit that counts the new bytes, and Open cuts off bytes that a
// crash has left beyond them. An entry that no row names any more, of a page that was read again or
// replaced, remains in its file and is not read.
//
// A target is stored as the key of its host and 7 bytes of the rest of its URL's key (weburl.Key).
// For a million URLs of one host, the probability that two have the same name is 1 in 140,000. The
// text of the URL is in the job's table of URLs.
//
// The package knows neither pages nor URLs: the caller decides which number a page has, and whether
// its links are still needed.
package linkgraph

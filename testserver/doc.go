// Package testserver is a web on loopback addresses: sites with templates,
// articles, copies, mirrors, traps and faults, generated from a seed, and the
// truth about all of them.
//
// A Web is a set of sites, and a Site is one host with its own IP address and
// port. Truth lists every page that a polite crawler can reach, and says which of
// them are copies. Folder sites serve real pages from disk: unchanged, as mirrors
// of each other, or in another layout.
//
// The same seed gives the same bytes; a test holds the digests. The server counts
// its requests, so that a test can tell what was fetched, how often, and at what
// intervals. It speaks plain HTTP/1.1 without compression, TLS or validators.
//
// The packages below generate what it serves, or are sites of their own, each an
// http.Handler: corpus (words, sentences, texts), skin (the markup around a text),
// score (the truth, and a crawl's marks), theme (blogs and manuals as generators
// write them), farm (families of mirrors), dustsites (many URLs for one page),
// moves (pages that move), and topics (pages about known subjects, a web of its own).
package testserver

// Package testserver is a web of its own on loopback addresses: sites with
// templates, articles, copies, mirrors, traps and faults, generated from a
// seed, and the truth about all of them.
//
// A Web is the set of sites and a Site one host on its own address. Truth lists
// every page that a polite crawler can reach, and which of them are copies.
// Folder sites serve real pages from disk, as they are, as mirrors of each
// other, or in another layout.
//
// The same seed gives the same bytes. The server counts its requests, so a test
// can tell what was fetched, how often, and how close together. It speaks plain
// HTTP/1.1 without compression, TLS or validators.
package testserver

// Package feed reads documents that list URLs: sitemaps and their indexes, RSS and Atom
// feeds, and texts of one URL a line.
//
// A document is recognized by its first element, whatever its server calls it. Items yields the
// URLs of any of them as they come, with little memory for a hostile one; Parse reads a feed
// with the titles and texts of its articles. Both read XML leniently: closing tags may be
// missing, entities of HTML are known, and bytes or characters that XML does not have end
// nothing. No entity of a document's own is expanded.
package feed

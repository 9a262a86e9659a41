// Package parts finds kept pages that share important parts without being copies: a page that
// contains a whole article, one that quotes half of it, a list of ten.
//
// A sample of each kept page's shingles is stored in the transaction of its visit. When a run has
// ended, Find compares the samples of the new pages with all others, a bounded number at a time,
// and then compares the texts of likely pairs exactly: those that Recent still has, if the template of
// their site leaves the same of their pages, and otherwise what it reads in the archive. A page stays new
// whatever it shares with others.
//
// Of the two pages of a pair, the part is the one of which the larger share is in the other, the
// whole.
package parts

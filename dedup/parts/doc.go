// Package parts finds kept pages that have important parts in common without being copies: a
// page that holds a whole article, one that quotes half of it, a list of ten.
//
// A sample of each kept page's shingles is kept, in the transaction of its visit. When a run
// has ended, Find compares the samples of the pages that came since with all, a bounded number
// at a time, and then the texts decide, exactly. A page stays new whatever it shares with
// others.
//
// A part is the page of which the larger share is in the other one, the whole.
package parts

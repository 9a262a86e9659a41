// Package parts finds kept pages that have important parts in common without being copies: a
// page that holds a whole article, one that quotes half of it, a list of ten.
//
// Of each kept page a sample of its shingles is kept, in the transaction of its visit. When a
// run has ended, Find compares the samples of the pages that came since with all, a bounded
// number at a time, and the texts decide: what is found is of the texts, exactly. A page stays
// new whatever it has of others.
//
// A part is the page of which the larger share is in the other one, the whole.
package parts

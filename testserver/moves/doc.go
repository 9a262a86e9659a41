// Package moves makes a site whose pages move, with a partial mirror beside it.
//
// A Site serves its pages at their old paths until Move is called. Then each page is
// where its Kind says: at a new path, behind a redirect, edited, on the mirror alone,
// or nowhere. The search for living copies of lost pages is tested on it.
package moves

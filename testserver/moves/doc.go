// Package moves makes a site whose pages move, and a partial mirror of it.
//
// A Site serves its pages at their old paths until Move is called. Then each page is where its Kind
// says: at a new path, behind a redirect, edited, only on the mirror, or gone. The search for live
// copies of lost pages is tested on it.
package moves

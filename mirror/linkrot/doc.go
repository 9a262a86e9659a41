// Package linkrot finds living copies of lost pages.
//
// A Lost is what a job knows of such a page, and its Candidates are the URLs at which a copy
// may be, each with how it was found: a redirect, a group of copies, a mirror, the way in which
// other pages of its folder moved (Moves), a page of the same name. A BodyPrint is what is
// compared: Survives says whether a candidate may replace the lost page, given its Lead, the
// other evidence for it.
//
// Lookups find candidates in the tables of a job: they read the pages of the lost one's
// domain, once for a list of lost pages.
//
// Search asks for the candidates, the lost page's own URL first, through a fetch.Client,
// which obeys robots.txt and lets hosts rest. Nothing else here asks anyone.
package linkrot

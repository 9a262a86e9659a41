// Package theme makes blogs and manuals as the common site generators write them.
//
// On such sites the frame around a page is long, has whole sentences, and is nearly
// the same on every page, while a page's own text may be one line. Each Page says what
// its own text is, so that a test can measure how much of a frame ends up in a body.
//
// A Site has no address of its own: Handler serves it on any host, and its links are
// paths from the root.
package theme

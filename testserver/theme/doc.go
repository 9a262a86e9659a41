// Package theme makes blogs and manuals like those of common site generators.
//
// On such sites the frame around a page is long, has whole sentences, and is nearly the same on
// every page, while a page's own text may be one line. Each Page has its own text, so that a test
// can measure how much of the frame ends up in a body.
//
// A Site has no host name: Handler serves it on any host, and its links are paths from the root.
package theme

// Package render runs the scripts of pages in a headless Chromium.
//
// A Browser is one Chromium with some tabs, started for the first page. It has no access to the
// network: every request of a page is intercepted and made by a function of the caller's, so
// that the checks of addresses and the limits of package fetch hold for what scripts ask for
// too; what is not intercepted (a worker's request, Chromium's own) ends at a proxy that hangs
// up. Pictures, fonts, frames and everything but GET are refused. Pages share no cookies.
//
// Chromium runs in its sandbox, except as root, where it has none: do not crawl
// as root with scripts on, or do so in a container.
package render

// Package picture draws which sites of a crawl are copies of each other.
//
// A report of package mirror becomes a graph for Graphviz (DOT), a drawing (SVG) or a page
// with the drawing and its evidence (HTML), which needs nothing from the network. Up to 30
// sites are drawn as stars around the site to ask; more are drawn as a map of how much of
// each is on the other. The same report gives the same bytes. All text from sites is
// escaped.
package picture

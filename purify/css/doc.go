// Package css finds elements of a page by CSS selectors, and reads fields from them.
//
// A Tree is built by whoever reads the page, element by element, so that a page is parsed once and
// a selector finds the very elements that the reader saw. The tree has the elements that HTML
// implies (html, head, body, tbody, and tr around a lonely cell), so that a selector copied from a
// browser's inspector matches. It differs from a browser's tree if tags overlap, as in
// <b><p></b></p>, and for text directly inside a table, which a browser moves in front of it. A
// selection is one of package goquery.
//
// Everything is bounded, whatever a page contains: at most MaxElements elements are kept, and as
// many attributes. The combinators of a selector are evaluated in one walk over the tree. Trying
// each element by itself would take time that grows with a power of the depth.
package css

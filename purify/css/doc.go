// Package css finds elements of a page by CSS selectors, and reads fields from them.
//
// A Tree is built by whoever reads the page, element by element, so that a page is
// parsed once and a selector's element is the very one that the reader saw. It has the
// elements that HTML implies (html, head, body, tbody, and tr around a lonely cell), so
// that a selector copied from a browser's inspector matches. It differs from a browser's
// tree where tags overlap, as in <b><p></b></p>, and for text directly inside a table,
// which a browser moves in front of it. A selection is goquery's.
//
// All of it is bounded, whatever a page sends: MaxElements elements are kept and as many
// attributes, and the combinators of a selector are followed in one walk over the tree, while
// trying each element by itself would take time that grows with a power of the depth.
package css

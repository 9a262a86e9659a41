// Package purify reduces an HTML page to its DocView: what the page says, without the template
// around it.
//
// A block is a run of text between block-level tags; the body is the text of the blocks that belong
// to the page's own content. The rest of the view is derived from the body or read from the page's
// metadata.
//
// Text that the pages of a site repeat is not a page's own content either, but a single page does
// not show which text that is. A Site learns it from many pages, and the Template that it makes
// removes it from bodies.
//
// The same bytes and the same template give the same DocView. Memory is bounded however deeply a
// page is nested, and a page with broken bytes still gets a view. The package resolves no URLs:
// links stay as they are written until the crawler resolves them.
//
// The subpackages do the work: charset turns bytes into text, markup reads tags, blocks makes an
// outline of them, body chooses among its blocks with the decision trees of forest, metadata finds
// title, date and author, and words finds keywords and the language.
package purify

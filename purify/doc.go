// Package purify reduces an HTML page to its DocView: what the page says,
// without the template around it.
//
// A block is a run of text between block-level tags; the body is the text of
// the blocks that belong to the page's own content. Everything else of the
// view is derived from the body or read from the page's metadata.
//
// What the pages of a site repeat is not a page's own content either, but a single page
// does not show it: a Site learns it from many pages, and the Template that it makes
// takes it out of a body.
//
// The same bytes and the same template give the same DocView. Memory is bounded whatever
// a page's nesting, and broken bytes never lose a page. The package resolves no URLs:
// links stay as they are written until the crawler resolves them.
//
// The work is done in rooms: charset turns bytes into text, markup reads tags, blocks
// makes an outline of them, body chooses among its blocks with the trees of forest,
// metadata finds title, date and author, words finds keywords and the language.
package purify

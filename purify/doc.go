// Package purify reduces an HTML page to its DocView: what the page says,
// without the template around it.
//
// A block is a run of text between block-level tags; the body is the text of
// the blocks that belong to the page's own content. Everything else of the
// view is derived from the body or read from the page's metadata.
//
// What the pages of a site repeat is no page's own content either, but no page
// shows that alone: a Site learns it from many, and the Template that it makes
// takes it out of a body.
//
// Same bytes and same template in, same DocView out. A page is read in one pass with bounded
// memory whatever its nesting; broken bytes never lose it. The package resolves
// no URL: links stand as they are written until the crawler resolves them.
package purify

// Package body chooses which blocks of a page are its own content, and tells what type of
// page it is.
//
// A first forest scores every block by its own columns, a second one also sees the scores
// around it. Blocks in the same kind of place then share their scores, and neighbours that
// disagree pay for it. Nothing but the page's bytes is asked, so two URLs of one page have
// one body.
package body

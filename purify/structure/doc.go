// Package structure reads what the body of a page is made of: headings, paragraphs, lists,
// tables, quotations, listings with their lines, emphasis, code and links. It writes a body
// as Markdown (CommonMark with the tables of GFM) or as plain text, whole or in chunks.
//
// Which blocks are body is not decided here: Read is given the page's bytes and the lines
// of its body, as package purify returns them, and finds each line in the page again. A
// line that it does not find becomes a paragraph, so no line is ever missing. What stands between
// the lines and belongs to them is added: heads of tables, cells of rows, lists, listings.
//
// A block is a run of text between block-level tags. A mark is a link of a heading or a
// term to itself, such as Sphinx's "¶": it is left out of all that is written.
package structure

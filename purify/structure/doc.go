// Package structure finds out what the body of a page consists of: headings, paragraphs, lists,
// tables, quotations, listings with their lines, emphasis, code and links. It writes a body as
// Markdown (CommonMark with the tables of GFM) or as plain text, as a whole or in chunks.
//
// It does not decide which blocks are the body: Read gets the page's bytes and the lines of its
// body, as package purify returns them, and finds each line in the page again. A line that it does
// not find becomes a paragraph, so no line is ever missing. Parts between the lines that belong to
// them are added: heads of tables, cells of rows, lists, listings.
//
// A block is a run of text between block-level tags. A mark is a link of a heading or a term to
// itself, such as Sphinx's "¶". Marks are not written.
package structure

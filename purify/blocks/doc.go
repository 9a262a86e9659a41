// Package blocks reads a page as an Outline: its blocks of text in the order of the document, the
// elements around them, its links, and the markup of its metadata.
//
// A Block is a run of text between block-level tags. A Node is a block-level element; its parent
// comes before it. The Outline is made in one pass over the page, with bounded memory however deep
// elements are nested, and broken markup never loses text. Which blocks belong to the page's own
// content is decided by package body.
package blocks

// Package blocks reads a page as an Outline: its blocks of text in the order of the
// document, the elements around them, its links, and the markup of its metadata.
//
// A Block is a run of text between block-level tags. A Node is a block-level element; its
// parent comes before it. One pass over the page makes all of this, with bounded memory
// whatever the nesting; broken markup never loses text. Nothing here decides what belongs
// to the page's own content: see package body.
package blocks

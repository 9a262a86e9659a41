// Package markup reads HTML tag by tag.
//
// A Lexer yields the Tokens of a page: start tags with their attributes, end tags and
// runs of text. A Tag is the name of an element that purify treats in its own way, and
// its Traits say how: whether it starts a block, has no content, is not shown, and so on.
//
// The Lexer follows the tokenizer of the HTML standard except where a page never needs
// it: character references stay as they are, and svg and math are read like any other
// content. It builds no tree, and takes half of the time of html.Parse
// (go test ./purify -bench RealPages).
package markup

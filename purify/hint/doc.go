// Package hint names what a page's markup says of a block of text before one looks at the
// text: the elements that it stands in, and the words in their class, id, role and
// itemprop.
package hint

// Package hint tells what a page's markup says about a block of text before its text is read:
// the elements that it is in, and the words in their class, id, role and itemprop.
package hint

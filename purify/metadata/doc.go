// Package metadata finds a page's title, date, author and category: in what the page
// Declared of itself, and where it says nothing, in its blocks and its URL.
package metadata

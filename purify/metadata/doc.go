// Package metadata finds a page's title, date, author and category: in its metadata (see
// Declared), or else in its blocks and its URL.
package metadata

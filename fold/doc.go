// Package fold rids a list of search results of its repeats.
//
// A result is its URL, its title and the snippet that describes it. Results are folded below
// the best one that they repeat: that has the same URL but for its scheme, www and index
// page, is known to be a copy of the same page, or is described in nearly the same words. What
// is folded is like the one above it, not like another folded one: there are no chains.
//
// The degree of a group, on how many other sites its page is, can weigh in the order: what
// many carry is popular. A Folder remembers descriptions and whole lists; it is safe for
// concurrent use, and its memory is bounded.
package fold

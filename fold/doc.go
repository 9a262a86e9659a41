// Package fold removes repeats from a list of search results.
//
// A result has a URL, a title and a snippet. It is folded below the best result that it repeats:
// one with the same URL except for scheme, www and index page, one that is known to be a copy of
// the same page, one with nearly the same text if a crawl has the texts of both, or one with nearly
// the same description. A folded result resembles the result above it, not only another folded
// one: there are no chains.
//
// The degree of a group is the number of other sites that have its page. It can count in the
// ranking, since pages that many sites carry are popular. A Folder caches descriptions and whole
// lists; it is safe for concurrent use, and its memory is bounded.
package fold

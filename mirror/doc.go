// Package mirror says who carries a copy of what.
//
// A Group is one kept page and its copies. The degree of a group is the number
// of distinct hosts with a copy. A Pair is two hosts that share groups, with
// the overlap of what was crawled of them.
//
// The package computes over what it is handed and keeps nothing.
package mirror

// Package mirror says who carries a copy of what.
//
// A Group is one kept page and its copies. The degree of a group is the number
// of distinct hosts with a copy. A Pair is two hosts that share groups, with
// the overlap of what was crawled of them.
//
// A Site is what one origin (scheme://host) answered, by a sample of its
// documents. A Mapping says where the document at a path of one site lies on
// another. A Relation is two sites that were held against each other by it, both
// ways: how much of each is on the other, within which bounds, and so its Class.
// Only an Alias, a Mirror and a Partial say that one may be asked in place of the
// other. A Survey is all sites of a job, and finds the relations among them.
//
// The algorithm and its thresholds: candidates by the tails of paths and by
// fingerprints as in Bharat, Broder, Dean and Henzinger (A Comparison of
// Techniques to Find Mirrored Hosts, 2000) and US patent 8,713,071, without
// lists over 40 sites; then what is new against these, a test of sampled
// documents with Wilson's interval, and stars in place of chains.
//
// The package computes over what it is handed and keeps nothing on disk. A
// sample takes about 150 bytes a document, and a Survey keeps no more than
// Options.Documents of them, whatever the number of sites.
package mirror

// Package mirror finds sites that are copies of other sites.
//
// A Group is one kept page and its copies. The degree of a group is the number
// of distinct registrable domains with a copy. A Pair is two hosts that share groups, with
// the overlap of what was crawled of them.
//
// A Site is what one origin (scheme://host) answered, by a sample of its
// documents. A Mapping says at which path of another site the document at a path
// of one site is. A Relation is the result of comparing two sites by a mapping, in both
// directions: how much of each is on the other, within which bounds, and from that its
// Class. Only for an Alias, a Mirror and a Partial may one site be asked in place of the
// other. A Survey has all sites of a job and finds the relations among them.
//
// The algorithm and its thresholds: candidates by the tails of paths and by
// fingerprints as in Bharat, Broder, Dean and Henzinger (A Comparison of
// Techniques to Find Mirrored Hosts, 2000) and US patent 8,713,071, without
// lists over 40 sites. New compared with these are a test of sampled documents with
// Wilson's interval, and groups that are stars and not chains.
//
// What a crawl learns of mirrored sites while it runs is package mirror/twins.
//
// The package sends no requests itself: a Library does. A sample takes about 150 bytes a
// document, and a Survey keeps no more than Options.Documents of them, whatever the number of
// sites.
package mirror

// Package index finds documents by fingerprints within a few bits, by digests and by
// bands, in memory and in files.
//
// An Index finds the fingerprints within k bits of a query without a scan (Manku, Jain
// and Das Sarma 2007); a Design is one way to build it. A Catalog holds all tables of
// a gate: heads of digests, fingerprints, Bands, and an Outline of each document. In a
// folder its younger part is in memory with a log behind it, and the older ones are
// mapped files that never change.
//
// The owner's store is the truth: the files may be behind it and are never ahead of
// it, and what they lack the owner enters again. A file that is not as it was written
// is a DamageError; DropIndex deletes the folder, and the owner fills a new one.
package index

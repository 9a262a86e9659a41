// Package index finds documents by fingerprints within a few bits, by digests and by bands, in
// memory and in files.
//
// An Index finds the fingerprints within k bits of a query without a scan (Manku, Jain and Das
// Sarma 2007); a Design is one way to build it. A Catalog holds all tables of a gate: heads of
// digests, fingerprints, Bands, and an Outline of each document. In a folder its youngest part is
// in memory with a log on disk, and the older ones are mapped files that never change.
//
// The files can be rebuilt from the owner's store. They may lack what the store has, but never have
// more, and the owner enters again what they lack. A damaged file is reported as a DamageError;
// DropIndex deletes the folder, and the owner fills a new one.
package index

// Package runs is a sorted table of keys and values for what a B-tree can't handle well: many small
// entries whose keys come in no order. It is a log-structured merge tree (O'Neil, Cheng, Gawlick
// and O'Neil 1996), merged by tiers of size.
//
// A Slab has changes in the order of their keys. The owner writes it into a log of its own and then
// passes it to Table.Fold and Table.Apply. Slabs stay in memory until it is full; then they are
// written to a run, a file that never changes. In the background, runs of similar size are merged
// to a larger one, at the rate at which new entries come in. Table.Done yields each finished file
// as a Change. The owner makes the Change durable in its manifest, deletes the part of its log that
// is no longer needed, and passes the Change to Table.Install. Files that no manifest names are
// deleted by Open.
//
// So log and manifest can be part of the owner's transactions: after a crash at any moment the
// table has the state of the last transaction. Every block of a file has a checksum. A Snapshot
// does not see later changes.
//
// The package does not lock its folder and has no log of its own.
package runs

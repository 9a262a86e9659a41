// Package runs is a sorted table of keys and values for what a B-tree can't carry: many small
// entries whose keys come in no order. It is a log-structured merge tree (O'Neil, Cheng,
// Gawlick and O'Neil 1996), merged by tiers of size.
//
// A Slab is changes in the order of their keys. The owner writes it into a log
// of its own and then hands it to Table.Fold and Table.Apply. Slabs stay in memory until they fill
// it; then they are written to a run, a file that is never changed, and runs of
// like size are merged to a larger one in the background, at the speed of what
// comes in. Each finished file comes out of Table.Done as a Change. The owner makes
// the Change durable in its manifest, together with what of its log is no longer
// needed, and hands it to Table.Install. Files that no manifest names are deleted by
// Open.
//
// So log and manifest can be in a transaction of the owner's choice: a crash at
// any moment leaves the table as that transaction has it. Every block of a file
// carries a checksum. A Snapshot is not moved by what comes after it.
//
// The package does not lock its folder and has no log of its own.
package runs

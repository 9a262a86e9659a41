// Package kv is the contract of an embedded store of ordered tables: snapshots to
// read from, and transactions that become durable as a whole. What the tables mean
// is their owners' business.
//
// A Table is declared once, next to the code that owns its rows. A Store has all tables and one
// writer. View reads one snapshot of all tables. Update runs a function on a Tx, which sees its
// own writes; functions that are handed in at about the same time share a commit, and with it
// the cost of a sync.
//
// What every engine promises:
//
//   - Update returns nil when what its function wrote is durable. After a crash, a
//     power cut too, every Update that returned nil is there as a whole, and of one
//     that did not, either all or nothing.
//   - Commits have an order, and a snapshot is the state after one of them: after
//     every Update that returned before View was called, and maybe after one that has
//     not returned yet.
//   - A View never waits for the disk of a commit.
//
// What it does not promise: a store is for one process, and does not take back a
// part of a transaction. An error of an Update's function ends the store, for it
// means that the owner of the tables is at its wits' end; what a caller may get
// wrong has to be looked at before it is written.
//
// The engines are kv/disk, for a folder, and kv/mem, for tests and for data that fits into
// memory and may be lost. The suite in kv/kvtest is the contract in statements that both of
// them pass.
package kv

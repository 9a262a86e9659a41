// Package kv defines an embedded store of ordered tables: snapshots to read from, and transactions
// that become durable as a whole. The owners of the tables define what their rows mean.
//
// A Table is declared once, next to the code that owns its rows. A Store has all tables and one
// writer. View reads one snapshot of all tables. Update runs a function on a Tx, which sees its own
// writes; functions that are passed in at about the same time share a commit, and with it the cost
// of a sync.
//
// Every engine guarantees:
//
// - Update returns nil when what its function wrote is durable. After a crash or a power cut, every
// Update that returned nil is there as a whole; of an Update that did not return nil, either
// everything or nothing is there. - Commits have an order, and a snapshot is the state after one of
// them: after every Update that returned before View was called, and perhaps after one that has not
// returned yet. - A View never waits for the disk writes of a commit.
//
// An engine does not guarantee more: a store is for one process, and can't undo a part of a
// transaction. An error of an Update's function ends the store, since it means that the owner of
// the tables does not know how to go on; what a caller may get wrong has to be checked before it is
// written.
//
// The engines are kv/disk, for a folder, and kv/mem, for tests and for data that fits into memory
// and may be lost. The test suite in kv/kvtest checks these guarantees, and both engines pass it.
package kv

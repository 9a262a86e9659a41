// Package mail carries messages between stores that commit by themselves, such as the
// partitions of a job.
//
// An effect on another store is a message that is written in the transaction of its cause
// (Post). Messages from one store to another are numbered from 1 without a gap. They wait in
// the sender's outbox until the receiver has applied them, in a transaction of its own that
// also writes down up to which number it has (Receive). So a message that is lost is sent
// again, one that comes twice is applied once, and one that comes too early waits for those
// before it, whenever either side is killed. The order of a pair is kept; there is none
// between pairs.
//
// The package does not carry anything itself: whoever has both stores passes the messages of
// Waiting to Receive, and its answer to Sent. What a message means is the owner's business.
package mail

// Package mail carries messages between stores that commit independently, such as the partitions of
// a job.
//
// An effect on another store is a message that is written in the transaction of its cause (Post).
// Messages from one store to another are numbered from 1 without a gap. They wait in the sender's
// outbox until the receiver has applied them, in a transaction of its own that also stores the
// number up to which it has applied them (Receive). So, whichever side is killed at whatever time,
// a lost message is sent again, a message that arrives twice is applied once, and one that arrives
// too early waits for those before it. The messages between two stores keep their order; messages
// between different stores have none.
//
// The package does not send anything itself: whoever has both stores passes the messages of Waiting
// to Receive, and the number that it returns to Sent. What a message means is up to the owner.
package mail

// Package jetstream is the engine of a cluster on NATS JetStream: a server that runs inside
// the process, and the connection to servers of either kind.
//
// Each log is a stream of its own with up to three replicas, and Append is a message that names
// the last number of the stream. A question is a request, a blob an object. The server inside
// the process syncs each write to the disk before it acknowledges it (sync_interval: always);
// its default, which is that of any nats-server, syncs every two minutes, and an acknowledged
// entry may be lost if several machines lose power at once. For separate servers that has to be
// set in their configuration file, together with max_payload: 8MB.
//
// Three servers outlive the loss of one. The number of servers of a cluster does not change
// while it runs: what is known to lose entries in JetStream needs such a change.
package jetstream

// Package jetstream is an engine on NATS JetStream: a server that runs inside the process, and a
// connection to such a server or to a separate one.
//
// Each log is a stream of its own with up to three replicas. Append is a message that names the
// last number of the stream, a question is a request, and a blob is an object. The server inside
// the process syncs each write to the disk before it acknowledges it (sync_interval: always). The
// default of nats-server is to sync every two minutes: then an acknowledged entry may be lost if
// several machines lose power at once. So separate servers need that setting in their configuration
// file, and max_payload: 8MB.
//
// Three servers survive the loss of one. The number of servers of a cluster does not change while
// it runs: the known ways for JetStream to lose entries need such a change.
package jetstream

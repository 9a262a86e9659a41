// Package node lets several processes crawl jobs together.
//
// Their common state is one log of the engine, which each of them follows. It has the nodes, the
// jobs with their settings and with the node of each partition, and whether a job is to run.
// Cluster.Jobs returns the state that follows from it.
//
// A node takes over the logs of its partitions (package owner), brings their copies in its folder
// up to date (package journal), and opens them (cluster.Join). It crawls while it has the leases of
// all these logs. When one of them has run out, no URL is leased, no connection opened and nothing
// read until it is renewed. If a node does not answer for Options.Away, the others take its
// partitions over. Until then links to them wait at the other nodes.
//
// The package does not start an engine, and knows no flags.
package node

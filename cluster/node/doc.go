// Package node has processes crawl one job together.
//
// Their common state is one log of the engine, which each of them follows: which nodes there
// are, the jobs with their settings and with the node of each partition, and whether a job is
// to run. Jobs is what follows from it.
//
// A node opens the partitions that are its own (cluster.Join) in its folder, when it owns their
// logs (package owner): while it has these leases it crawls, and when one of them has run out
// nothing is lent, dialled or read until it is back. A partition stays with its node, since its
// data are in that node's folder: while the node is away links to it wait at the others.
//
// The package does not start an engine, and knows no flags.
package node

// Package frontier decides which URL is fetched next, and when.
//
// A URL is a canonical address and a Key its fixed-size name. A Seed is a URL
// that a user handed in; Scope and the trap guards say which found URLs may be
// queued and refuse the rest by a named Rule. A Candidate is a URL on its way
// into the queue. A Lease is a URL on its way to a fetcher: one owner, for a
// limited time. A Backlog is the durable queue itself, one queue per host, best
// score first, at most one request per host and delay.
//
// The package guarantees that equal addresses have equal keys under one
// CanonVersion, and that every refusal names its rule. It does not fetch, and
// it does not store: package store has the embedded Backlog.
package frontier

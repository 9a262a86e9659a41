// Package frontier decides which URL is fetched next, and when.
//
// Scope and the trap guards say which found URLs may be queued, and refuse the rest by a
// named rule. A Candidate is a URL on its way into the
// queue. A Lease is a URL on its way to a fetcher: it has one owner, for a limited time. A
// Backlog is the durable queue itself: one queue per host, best score first, at most one
// request per host and delay.
//
// The package guarantees that every refusal names its rule. It does not fetch, and it does
// not store: package store has the embedded Backlog. Package weburl has the URL itself.
package frontier

// Package frontier says which URLs may be queued, and what a queue of URLs promises.
//
// Scope and the trap guards say which found URLs may be queued, and refuse the rest by a
// named rule. A Candidate is a URL on its way into the queue. A Lease is a URL on its way
// to a fetcher: it has one owner, for a limited time. A Backlog is the durable queue: one
// queue per host, best score first, at most one request per host and delay.
//
// The package guarantees that every refusal names its rule. It does not fetch, and it does
// not store: package queue below it is the Backlog's, weburl has the URL itself, and seeds
// reads lists of URLs.
package frontier

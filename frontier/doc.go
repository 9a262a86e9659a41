// Package frontier decides which URLs may be queued, and defines what a queue of URLs promises.
//
// Scope and the trap guards decide which found URLs may be queued, and refuse the rest by a named
// rule. A Candidate is a URL that is to be queued. A Lease is a URL that is being fetched: it has
// one owner, for a limited time. A Backlog is the durable queue: one queue per host, best score
// first, with limits of concurrent requests and a delay between requests for each host.
//
// Every refusal names its rule. The package does not fetch and does not store: its subpackage queue
// implements the Backlog, weburl has the type of a URL, and seeds reads lists of URLs.
package frontier

// Package cluster has a job in partitions, each of which is a store of its own, and one gate for
// all of them. All of them are in one process (Open): then several disks share a job, and it may
// have more pages than a number of 32 bits counts. Or several processes, connected by an engine,
// have some of them each (Join).
//
//   - A partition (store.Partition) owns registrable domains: their hosts, queue, records, templates
//     and URL rules. It writes one transaction for each visit, as the store of an undivided job does.
//   - The gate owns the signatures of kept pages and the tables by which copies are found.
//   - Everything between them is a message (store/mail): it is written in the transaction of its
//     cause, numbered, and applied once, in a transaction of its receiver.
//
// A page is looked up at the gate, settled by its partition, and claimed at the gate by a message.
// Of several equal pages the gate keeps the one whose message comes first. A page that was settled
// as new and turns out to be a copy is demoted: what was kept of it is deleted, and it votes for
// the kept page. So there is no claim without a page and no page without a claim, whichever process
// is killed at whatever time.
//
// Store implements gatecrawl.Store and gatecrawl.Inspector over all partitions.
package cluster

// Package cluster has a job in partitions, each of which is a store of its own, and one gate
// for all of them. Either all are in one process (Open): several disks share a job, and it may
// have more pages than a number of 32 bits counts. Or several processes, connected by an
// engine, have some of them each (Join).
//
//   - A partition (store.Partition) owns registrable domains: their hosts, queue, records,
//     templates, URL rules. It writes one transaction a visit, as a store that has a job alone.
//   - The gate owns the signatures of kept pages and the tables by which copies are found.
//   - Everything between them is a message (store/mail): written in the transaction of its
//     cause, applied once, by number, in a transaction of its receiver.
//
// A page is looked up at the gate, settled by its partition, and claimed at the gate by a
// message. The gate keeps the first in the order of its messages. One that was settled as new
// and turns out to be a copy is demoted: what was kept of it is deleted, and it votes. So there
// is no claim without a page and no page without a claim, whatever is killed when.
//
// Store implements gatecrawl.Store and gatecrawl.Inspector over all partitions.
package cluster

// Package queue is the queue of a job: it decides which URL is fetched next, and when.
//
// Every URL that was ever seen has a Record. It is in one of four states: Queued, with an entry in
// its host's queue; Later, waiting for its time; Done, with the sequence number of its page;
// Refused, by a rule. A host's queue is sorted by score. A Held is a lease whose visit is being
// written to disk.
//
// A Queue decides whose turn it is, and enforces politeness: a host has as many concurrent requests
// as Options.PerHost says, rests for at least Options.Delay after each, for longer after failures,
// and is parked after many. Hosts at one IP address, or of one domain, share limits. The Queue
// holds every host in memory and looks up the first entries of a host's queue before its turn
// comes. Entries stay on disk until their visit is settled, so that after a crash every lease is
// back in the queue.
//
// The tables belong to this package, and only its code reads and changes their rows: a Tx has the
// changes of one commit. The package that composes a job calls Begin once for each commit, Finish
// when everything else in it is done, and Committed when it is durable.
//
// The package knows nothing of pages: its caller tells it the outcome of a visit. It does not
// fetch.
package queue

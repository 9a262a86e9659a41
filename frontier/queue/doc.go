// Package queue is the queue of a job: which URL is fetched next, and when.
//
// Every URL that was ever seen has a Record. It is in one of four states: Queued, with an entry
// in its host's queue; Later, until its time comes; Done, with the number of its page; Refused,
// by a rule. A host's queue is in order of score. A Held is a lease whose visit is on its way
// to the disk.
//
// A Queue says whose turn it is. Politeness is its business: a host has one owner and as
// many requests at once as Options.PerHost says, rests for Options.Delay or longer after
// each, for longer after failures, and is parked after many; hosts at one IP address, or
// of one domain, share what a server can bear. It holds every host in memory and finds the
// first entries of a host's queue before its turn comes; the entries stay on disk until
// their visit is settled, so a crash gives every lease back.
//
// The tables belong to this package, and what they say is read and changed here: a Tx is
// what one commit does to them. Whatever composes a job calls Begin once a commit, Finish when
// all of it is done, and Committed when it is durable.
//
// The package knows nothing of pages: its caller tells it what became of a URL. It does not
// fetch.
package queue

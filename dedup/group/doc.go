// Package group keeps what the copies of a kept page say of it: votes, their owners, and
// what becomes of a group when its kept page changes.
//
// A kept page and its copies are a group. Each copy is a vote for the kept page, keyed by the
// copy's URL, so that voting again changes nothing. The group's degree is the number of
// registrable domains, other than the kept page's, that have a copy: the owner of a thousand
// hosts copies his own pages as often as he likes, while a mirror belongs to someone else.
// Hosts at one IP address do not count as one owner's, since strangers share the addresses of
// large networks. When the degree grows, what the kept page links to is worth more (Job.Raise).
//
// A group is represented by its kept page: while that does not change, its copies are assumed
// not to change either. When it changes or is gone it is retired, which means that the gate no
// longer finds copies of it, and another kept page is elected: some of its copies are asked for
// their bytes, one after the other.
//
//   - A copy that is what the group was is the kept page from now on (or a copy of the one
//     that is).
//   - A copy that changed as the kept page did is a copy of that again.
//   - A copy that is another document by now, or gone, says nothing of the others, and the
//     next is asked.
//
// If the samples agree the other copies are assumed to be as they are; if not, all are asked.
// Copies of a group in which no copy is left to ask stay copies of a page of the past.
//
// Groups owns the tables of this package, their codec, their check and their repair, and
// changes records of copies when they get another kept page. What takes a kv.Tx is for the
// one goroutine that writes. It asks no server and no gate: Job does.
package group

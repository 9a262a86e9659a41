// Package group keeps what the copies of a kept page say of it: votes, their owners, and
// what becomes of a group when its kept page changes.
//
// A kept page and its copies are a group. Each copy is a vote for the kept page, keyed by
// the copy's URL, so that voting again changes nothing. The group's degree is how many
// registrable domains other than the kept page's have a copy: an owner of a thousand
// hosts copies his own pages as often as he likes, and a mirror is somebody else's. Hosts
// at one IP address are not taken for one owner's, since strangers share the addresses of
// large networks. When the degree grows, what the kept page links to is worth more
// (Job.Raise).
//
// A group is represented by its kept page: while that stays what it is, its copies are
// taken to stay too. When it changes or is gone it is retired, which means that the gate
// takes nothing new for a copy of it, and another kept page is elected: some of its copies
// are asked for their bytes, one after the other.
//
//   - A copy that is what the group was is the kept page from now on (or a copy of the one
//     that is).
//   - A copy that changed as the kept page did is a copy of that again.
//   - A copy that is another document by now, or gone, says nothing of the others, and the
//     next is asked.
//
// Where those agree the other copies are taken to be as they are; where they do not, all
// are asked. Copies of a group in which nobody is left to ask are copies of a page of the
// past.
//
// Groups owns the tables of this package, their codec, their check and their repair, and
// changes records of copies when they get another kept page. What takes a kv.Tx is for the
// one goroutine that writes. It asks no server and no gate: Job does.
package group

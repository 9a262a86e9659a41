// Package group stores the groups of a job: which URLs have copies of a kept page, and what happens
// to a group when its kept page changes.
//
// A kept page and its copies are a group. Each copy is a vote for the kept page, keyed by the
// copy's URL, so that voting again changes nothing. The group's degree is the number of registrable
// domains, other than the kept page's, that have a copy: the owner of a thousand hosts copies his
// own pages as often as he likes, while a mirror belongs to someone else. Hosts at one IP address
// do not count as one owner's, since strangers share the addresses of large networks. When the
// degree grows, the score of the URLs that the kept page links to rises (Job.Raise).
//
// The kept page represents its group: while it does not change, its copies are assumed not to
// change either. When it changes or is gone it is retired, which means that the gate no longer
// finds copies of it, and an election looks for another kept page: a sample of the copies is
// visited, one after the other.
//
// - A copy that still is what the group was becomes the kept page, or a copy of one that was
// elected before. - A copy that has changed as the kept page did is a copy of that again. - A copy
// that is another document by now, or gone, says nothing about the others, and the next one is
// visited.
//
// If the sample agrees, the other copies are assumed to be the same; if not, all are visited. If no
// copy is left to visit, the copies stay copies of a page that no longer exists.
//
// Groups owns the tables of this package, their encoding, their check and their repair, and changes
// the records of copies that get another kept page. Methods with a kv.Tx are for the one goroutine
// that writes. The package sends no requests and does not call the gate: Job does.
package group

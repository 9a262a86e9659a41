// Package journal keeps a store of a cluster in a log of the engine, in addition to its folder:
// what was committed survives the loss of the folder, and any node can go on with it.
//
// Each commit goes to the log before it is made in the folder: the rows that it changes, and
// the bytes by which the files that it names have grown. So the log is never behind the folder,
// and an acknowledged commit is on the disk and in the log. The log has one writer (package
// owner): a commit of a previous owner is refused, and ends its store. A commit that is larger
// than an entry takes several; if the last of them is missing the commit was not made.
//
// From time to time the owner puts a snapshot, all rows and files as of one commit, into blobs,
// names it in the log, and has the log forget what is in it. Bytes of files are put once.
//
// Take brings a folder up to date and takes its log over: a folder that is behind gets the
// commits that it lacks; one that is missing, or that lacks what the log no longer has, is made
// from the snapshot. The folder says by a mark, which is part of each commit, how far it is.
// Applying a commit twice changes nothing.
//
// Not covered: an engine that loses acknowledged entries. A folder that is ahead of its log is
// not opened, and the error says so.
package journal

// Package journal writes every commit of a store of a cluster to a log of the engine too, not only
// to the store's folder. So commits survive the loss of the folder, and any node can go on with the
// store.
//
// A commit is appended to the log before it is made in the folder. The entry has the rows that
// change, and the bytes by which the files that these rows name have grown. So the log never lags
// behind the folder, and an acknowledged commit is on the disk and in the log. The log has one
// writer (package owner): a commit of a previous owner is refused, and its store stops. A commit
// that is too large for one entry takes several; if the last of them is missing, the commit was not
// made.
//
// From time to time the owner stores a snapshot, all rows and files as of one commit, in blobs,
// names it in the log, and trims the log up to it. Bytes of files are stored once.
//
// Take brings a folder up to date and takes over its log. A folder that is behind gets the commits
// that it lacks. If the folder is missing, or the log no longer has what it lacks, it is created
// from the snapshot. A mark, which is part of each commit, says up to which entry a folder has
// everything. Applying a commit twice changes nothing.
//
// The loss of acknowledged entries by the engine is not covered. A folder that is ahead of its log
// is not opened, and the error says so.
package journal

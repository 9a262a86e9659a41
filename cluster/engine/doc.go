// Package engine defines what a crawl on several machines needs of the system that connects them:
// logs with one writer at a time, questions and answers, and blobs.
//
// A log is ordered and replicated. Append names the entry that the new one must follow, and fails
// if the log has a later entry: so of two writers of one log, one learns of the other. Ownership,
// leases, fencing and replication all rest on that one operation.
//
// An entry that Append has acknowledged survives the loss of any one machine. Questions and answers
// may be lost, and a question may be answered twice: whoever asks repeats it, and the second answer
// must change nothing. A blob is a large object that is kept until it is deleted, such as a
// snapshot of a partition, which allows the log before it to be trimmed.
//
// An engine promises no more than that. It does not say which processes are alive, it has no clock,
// and its reads (Last, Follow) may lag behind: only an acknowledged Append says where a log ends.
//
// Every engine has to pass the suite in enginetest.
package engine

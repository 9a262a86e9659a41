// Package engine is the contract between a crawl on several machines and the system that
// connects them: logs with one writer at a time, questions and answers, and blobs.
//
// A log is ordered and replicated. Append names the entry that the new one is to follow, and
// fails if the log has gone on since: so of two writers of one log, one learns of the other.
// Ownership, leases, fencing and replication all rest on that one operation.
//
// What Append acknowledged survives the loss of any one machine. Questions and their answers
// may be lost, and a question may be answered twice: the asker repeats it, and the second
// answer changes nothing. A blob is a large thing that is kept until it is deleted, such as the
// copy of a partition, behind which its log may be trimmed.
//
// An engine promises no more than that. It does not say who is alive, keeps no clock, and its
// reads (Last, Follow) may be behind: only an acknowledged Append says where a log ends.
//
// The suite in enginetest holds for every engine.
package engine

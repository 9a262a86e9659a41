// Package integrity checks a job as a whole, and repairs it: whether its tables and files agree
// with each other, and how to restore that from what is left of a damaged job. Each noun checks
// its own tables; this package calls those checks.
//
// A check reads one snapshot and changes nothing. A repair rebuilds what can be derived,
// removes pages of which something is missing, queues their URLs again, and counts.
package integrity

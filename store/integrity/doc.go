// Package integrity checks a job as a whole, and repairs it: that what its tables and files
// say of each other agrees, and how to get there from what is left of a damaged job. What one
// noun can tell of its own tables it tells itself; here it is asked.
//
// A check reads one snapshot and changes nothing. A repair derives anew what can be derived,
// takes away pages of which something is gone, queues their URLs again, and counts.
package integrity

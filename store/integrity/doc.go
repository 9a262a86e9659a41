// Package integrity checks and repairs a job as a whole: whether its tables and files agree with
// each other, and how to make them agree again from what is left of a damaged job. Each package
// with tables checks its own; this package calls these checks.
//
// A check reads one snapshot and changes nothing. A repair rebuilds everything that can be derived,
// removes pages of which something is missing and queues their URLs again, and recomputes the
// counts.
package integrity

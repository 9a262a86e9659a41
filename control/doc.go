// Package control answers questions about a job, also while a crawl works on it.
//
// A Question is a verb with parameters, for example: how far is the job, why was a URL dropped,
// which hosts mirror each other. Answer writes the answer to one as JSON lines; docs/formats.md has
// a table of the verbs. Serve answers over HTTP on a unix socket in the job folder, which only the
// user who runs the crawl may open. A Client asks the crawl that works on a job, or reads the
// answer from the job's files if there is none, so that a command need not know which of the two it
// is. It adds seeds and changes learned URL rules in the same way.
//
// An answer that breaks off ends with ErrCutOff, so it is never taken for a complete one. The
// package decides nothing about a crawl: what is known, and what a change does, is up to
// gatecrawl.Inspector.
package control

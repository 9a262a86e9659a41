// Package control lets a running crawl answer questions.
//
// A Question is a verb with parameters: how far is the job, why was a URL dropped, which
// hosts mirror each other. Answer is the answer to one, as JSON lines; docs/formats.md has
// the table of verbs. Serve gives it over HTTP on a unix socket in the job folder, which
// only the user who runs the crawl may open. A Client puts a question to the crawl that
// works on a job, or where there is none reads the answer from the job's files, so that a
// command does not care which it is. Seeds and learned URL rules are added the same way.
//
// An answer that breaks off is ErrCutOff and never looks whole. The package decides
// nothing about a crawl: what is known and what a change does is gatecrawl.Inspector's.
package control

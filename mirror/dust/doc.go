// Package dust learns which URLs lead to the same page: DUST, different URLs with similar text
// (Bar-Yossef, Keidar and Schonfeld, WWW 2007).
//
// A Rule says that a difference between two URLs of one scope does not matter: a parameter, its
// position, an index file, a slash at the end. URLs that differ only in such a thing share one of
// their Forms, and Compare returns the rules by which two of them are equivalent. Pages that were
// fetched under two URLs are the evidence: the same page counts for the rules, a different page
// against them. Stats count it, and a Book decides by the Wilson lower bound whether a URL is
// fetched, postponed, or left out.
//
// Lists are rules that are known beforehand: a few are built in, others come from users' files in
// the formats of ClearURLs and AdGuard.
//
// Rules are what a job has learned, in tables of a kv.Store: they learn from each visit in its
// transaction, decide about a URL before it is fetched, and are tested when the queue is empty. If
// a rule turns out to be wrong, everything that it left out is queued again.
//
// The package fetches nothing, and queues nothing itself: a Job does.
package dust

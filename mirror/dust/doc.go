// Package dust learns which URLs lead to the same page: DUST, different URLs with
// similar text (Bar-Yossef, Keidar and Schonfeld, WWW 2007).
//
// A Rule says that a difference between two URLs of one scope does not matter: a parameter, its
// place, an index file, a slash at the end. Forms are the texts under which URLs meet that
// differ in one such thing, and Compare tells which rules make two of them one URL. Pages that
// were fetched under two URLs are the evidence: the same page counts for the rules, another
// page against them. Stats count it, and a Book decides by the Wilson lower bound whether a URL
// is fetched, postponed, or left out.
//
// Lists are rules that are known beforehand: a few built in, and users' own files in
// the forms of ClearURLs and AdGuard.
//
// Rules are what a job has learned, in tables of a kv.Store: they learn from each visit in its
// transaction, decide about a URL before it is fetched, and are checked when nothing else is
// left. If a rule turns out to be wrong, everything that it left out is queued again.
//
// The package fetches nothing, and queues nothing itself: a Job does.
package dust

// Package rules learns which addresses lead to the same page.
//
// A Rule says that a difference between two addresses of one scope does not
// matter: a parameter, its place, an index file, a slash at the end. Forms are
// the texts under which addresses meet that differ in one such thing, and
// Compare tells by which rules two of them are one address. What was fetched
// under two addresses is the evidence: the same page counts for the rules,
// another page against them. Stats count it, and a Book decides by the Wilson
// lower bound whether an address is fetched, put off, or left out.
//
// Lists are rules that are known beforehand: a few built in, and users' own
// files in the forms of ClearURLs and AdGuard.
//
// The package decides and keeps counts in memory; it fetches and stores nothing.
package rules

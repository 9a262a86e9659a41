// Package seeds reads lists of URLs as users have them: one a line, CSV files, sitemaps,
// feeds, and lists of SURT prefixes.
//
// A Seed is a URL from a user, with a label and a priority. Parse says how a user may
// write one. A LineError is a faulty line: reading continues after it. Surts are prefixes
// of SURT forms, each of which includes or excludes URLs.
//
// Memory is bounded for any list, and every fault names the list and the line. The
// package does not fetch, and which seeds may be asked for is frontier.Scope's to say.
package seeds

// Package dedup is the gate: it says whether a document was met before, and
// where.
//
// A Signature is what the gate keeps of a document. A Verdict says new, or
// names the kept document, the class of the copy, and the level that decided.
// Package dedup/index has the tables that find the signatures within k bits of a
// query without a scan (Manku, Jain and Das Sarma 2007).
//
// Claim checks and acts in one step: it makes a document the kept page or names
// the kept page. The store's record of every claimed signature is the truth. The
// tables are held in memory, or with OpenGate in a folder that follows the
// store: Load fills what it lacks.
//
// A Set is a gate over texts in memory, for programs that have no store.
package dedup

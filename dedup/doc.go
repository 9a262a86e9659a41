// Package dedup is the gate: it decides whether a document is new or a copy of one that was kept.
//
// A Signature is what the gate keeps of a document. A Verdict says that a document is new, or names
// the kept document, the class of the copy, and the level that decided. Package dedup/index has the
// tables that find the signatures within k bits of a query without a scan (Manku, Jain and Das
// Sarma 2007).
//
// Gate.Claim checks a document and acts on the result in one step: it makes the document a kept
// page, or names the kept page that it is a copy of. The gate's tables are an index, and can be
// rebuilt from the store's record of every claimed signature. They are held in memory, or by
// OpenGate in a folder that follows the store: Gate.Load fills in what the folder lacks.
//
// A Set is a gate over texts in memory, for programs that have no store.
package dedup

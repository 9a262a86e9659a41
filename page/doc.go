// Package page has the record of a visit.
//
// A Visit is everything that the visit of one URL brought: the answer of its server, its DocView,
// its signature, its links. A Record is the part of it that is stored, and a Verdict is the
// outcome: new, copy, refused or failed. Totals count records. PackView encodes a DocView for the
// store; UnpackText reads from a packed DocView what the gate compares.
//
// The JSON names of a Record are the same in every command; docs/formats.md lists them. The package
// neither fetches nor stores.
package page

// Package methods holds the published ways of telling copies by their text,
// behind one interface. Package exam scores them against a truth.
//
// A Method signs a collection of documents; its Signatures score pairs of them
// and find all pairs above a score without looking at each. Whatever a method
// has to learn, lexicons, weights of terms, scores of links, it learns from
// the documents that it signs.
//
// All methods read the same tokens, those of the gate, so that they differ in
// method alone: a word is a token, and so is a character of a script without
// spaces. What a method calls a word is there a pair of neighbouring characters
// or, in a shingle, a single one.
//
// Everything is deterministic but the clock: the same documents in the same
// order give the same signatures, pairs and figures. The package holds a
// collection in memory and is made for some ten thousand documents; at the size
// of a crawl only the gate works.
package methods

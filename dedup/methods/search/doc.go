// Package search finds the copies among any number of documents by a published method.
//
// A Finder keeps the sketches of documents in a temporary file. Copies meet by the keys of
// their sketches, which are sorted on disk, and are then scored. Equal sketches are put
// aside first: that takes a fifth of a web away cheaply.
//
// In memory are 12 bytes a document, buffers of some 100 MB, and for methods that ask how many
// documents have a part of a sketch up to 64 MB of counters. Parts with the same hash of 24 bits
// share a counter, so that a part may seem to be in more documents; what is found depends on it
// only if a method leaves out what many have.
//
// Where more than MaxGroup documents have a key in common each is compared with the first
// and the last of them before it alone; LeftOut counts what was not compared.
package search

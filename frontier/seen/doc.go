// Package seen has a filter of keys that grows: a Bloom filter in a mapped file.
//
// A Filter answers "certainly not seen" for keys; all others need an exact look-up. It grows by
// generations and keeps its false-positive rate. Open says whether the file is intact: if a
// write may be missing, as after a power failure, its owner fills it again.
package seen

// Package lab compares designs of an index of fingerprints: those that a gate may have,
// and others that it does not use.
//
// Static packs the tables of index.Halves without slack. Sorted are the tables of Manku, Jain
// and Das Sarma (2007), of which the number at k = 3 is in the name. A Trial builds one at a
// size of your choice, asks it and measures. For comparison there are a scan, and four maps by
// 16 bits each, which is what most libraries offer. crawl bench index prints the results. No
// crawl uses any of this.
package lab

// Package lab compares designs of an index of fingerprints: those for gates, and others that are
// only measured.
//
// Static packs the tables of index.Halves without slack. Sorted are the tables of Manku, Jain and
// Das Sarma (2007); the name has the number of tables at k = 3. A Trial builds one at a size of
// your choice, queries it and measures. For comparison there are a scan, and four maps by 16 bits
// each, which is what most libraries offer. crawl bench index prints the results. No crawl uses any
// of this.
package lab

// Package labelled reads pages whose copies are known, to test methods of duplicate detection.
//
// A Set has the pages and the pairs that are copies. Its Truth is the source of these labels:
// an independent reader of main parts, the methods' own input (which hides errors in that
// input), a file of pairs next to a folder, sets of equal pages, or people who judged pairs.
//
// A page or line that cannot be read is a fault that names its file and line; the rest is
// read. A sample is drawn by hashes of paths, so that it is the same in every run.
package labelled

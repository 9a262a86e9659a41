// Package warc reads and writes WARC files, in which web archives keep what they
// fetched, and the CDX and CDXJ files that say what stands where in them.
//
// A file is a row of records (ISO 28500, versions 1.0 and 1.1). A record has
// named fields and a content; that of a response is an HTTP message, whose body
// is the payload. Files are plain or compressed by gzip or zstd, most often a
// member (gzip) or a frame (zstd) for each record, so that one can be read
// alone; whatever way the members are cut, the records are read.
//
// A Reader streams: its memory does not grow with the file. It gives every whole
// record of a damaged file and names each damage once, with its offset. It does
// not check digests. A Writer writes version 1.1 with the digests; an Archive is a
// folder of such files with their indexes, which a crash leaves whole or to be mended.
package warc

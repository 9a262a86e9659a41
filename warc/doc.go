// Package warc reads and writes WARC files, in which web archives store what they
// fetched, and the CDX and CDXJ files that index them.
//
// A file is a sequence of records (ISO 28500, versions 1.0 and 1.1). A record has named
// fields and a content; the content of a response is an HTTP message, whose body is the
// payload. Files are plain or compressed by gzip or zstd, usually with one member (gzip)
// or one frame (zstd) per record, so that a record can be read alone; files that are
// divided in another way are read too.
//
// A Reader streams: its memory does not grow with the file. It returns every whole record
// of a damaged file and reports each damage once, with its offset. It does not check
// digests. A Writer writes version 1.1 with digests. An Archive is a folder of such files
// with their indexes; after a crash it repairs its last file when it is opened.
package warc

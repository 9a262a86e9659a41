// Package archive stores the bytes of pages: as WARC records in the segments of a job's folder,
// with a row that says which record has a page's bytes. It writes them in the transaction of a
// visit, reads them, and checks that they are intact. A page's view may be packed as a difference
// from its bytes, so views are read here too.
package archive

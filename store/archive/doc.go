// Package archive keeps the bytes of pages: as WARC records in the segments of a job's
// folder, with a row that says in which record a page's bytes are. It writes them in the
// transaction of a visit, reads them, and checks that they are as they were written. A
// page's view may be packed on its bytes, so that is read here too.
package archive

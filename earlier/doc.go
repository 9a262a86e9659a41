// Package earlier knows the documents of earlier crawls, so that another crawl keeps only what is
// new to a collection.
//
// An index in a folder has of each document its URL, its time, the digests of its bytes and, if its
// text was available, the gate's signature and its DocView without markup. Sources of documents are
// jobs, WARC files, JSON lines, folders of pages, and CDX and CDXJ indexes, which have only
// digests. A source is read once; pages and their markup are not copied, and the source may be
// deleted afterwards.
//
// As at the gate, a document is looked up by its bytes (CheckBytes) and by its signature and text
// (Check). The answer, a page.Earlier, names the archive that has it. Documents are never removed;
// a source that has changed is read again. The gate's tables are in files, so that memory does not
// grow with the number of documents. After a crash, a source that was not read to its end is read
// again, and the documents that were added from it remain.
package earlier

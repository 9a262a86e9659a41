// Package earlier knows the documents of earlier crawls, so that another crawl keeps what
// is new to a collection.
//
// Documents are an index in a folder: of each document its URL, its time, the digests of its
// bytes, and if its text was available the gate's signature and its DocView, without markup.
// Sources are jobs, WARC files, JSON lines and folders of pages, and indexes in CDX and CDXJ,
// which have only digests. A source is read once; neither the pages nor their markup are
// copied, and the source may be deleted afterwards.
//
// A document is asked for by its bytes (CheckBytes) and by its signature and text
// (Check), as the gate is, and a Match names the archive that has it. What was added stays;
// a source that has changed is read again. The gate's tables are stored in files, so that memory
// does not grow with the number of documents. After a crash a source that was not read to
// its end is read again, and what of it is there stays.
package earlier

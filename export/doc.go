// Package export writes the kept data of a job in formats for other programs: JSON lines, CSV,
// Parquet, Markdown, plain text, WARC, WET and the links between pages.
//
// An Exporter takes rows, filters them, and writes the rest to a file, a folder of shards or a
// stream. A file or folder gets its final name only when it is complete. Memory does not grow with
// the number of rows, except for 8 bytes per page if each page is a file, and 32 bytes per record
// if the job has WARC files.
//
// docs/export.md has the table of fields.
package export

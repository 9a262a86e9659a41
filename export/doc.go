// Package export writes what a job keeps in the formats that others read: JSON lines, CSV,
// Parquet, Markdown, plain text, WARC, WET and the links between pages.
//
// An Exporter is handed rows, chooses among them, and writes those that are left to a
// file, a folder of shards or a stream. A file or folder has its final name only when it
// is whole. Memory does not grow with the number of rows, but for 8 bytes a page where
// each page is a file, and 32 bytes a record where the job has WARC files.
//
// docs/export.md has the table of fields.
package export

// Package segment keeps records in WARC files, the segments, for a store that names each
// record by its Place.
//
// A Segments is the files of one folder, PREFIX-00001.warc.zst and so on. Records are packed by
// many goroutines (Pack), appended by one (Append) and durable after Sync. The caller keeps the
// places, and with them the End, the end of its data: what a crash left behind the End is cut
// off when the folder is opened again. So the order is Append, Sync, then the commit that has
// places and End.
//
// A segment is WARC 1.1 with a member a record: gzip, or zstd as in "Zstandard Compression for
// WARC Files 1.0" of the IIPC, where a file may start with a dictionary in a skippable frame.
// The dictionary is made of the first records of the folder; the segment that was open till
// then ends, and all later ones have it. The caller keeps a copy of it too, so that a segment
// whose first frame is damaged can be read and repaired.
//
// A Place has the checksum of its record as it is in the file. Read and Verify compare
// it, so a record is what was appended or a *DamageError. The package knows neither pages
// nor tables.
package segment

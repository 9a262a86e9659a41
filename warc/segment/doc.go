// Package segment stores records in WARC files, the segments, for a store that refers to each
// record by its Place.
//
// A Segments is the files of one folder, PREFIX-00001.warc.zst and so on. Records are packed by
// many goroutines (Pack), appended by one (Append) and durable after Sync. The caller stores the
// places, and with them the End of its data: when the folder is opened again, bytes that a crash
// has left after the End are cut off. So the order is Append, Sync, and then the commit that has
// the places and the End.
//
// A segment is WARC 1.1 with a compressed member for each record: gzip, or zstd as in "Zstandard
// Compression for WARC Files 1.0" of the IIPC, where a file may start with a dictionary in a
// skippable frame. The dictionary is made from the first records of the folder; then the open
// segment ends, and all later ones have the dictionary. The caller stores a copy of it, so that a
// segment whose first frame is damaged can be read and repaired.
//
// A Place has the checksum of its record as it is in the file. Read and Verify check it, so they
// return the record that was appended or a *DamageError. The package knows neither pages nor
// tables.
package segment

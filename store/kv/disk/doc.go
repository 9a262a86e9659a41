// Package disk keeps ordered tables in files: a bbolt file for tables whose keys come in some
// order, and, in a folder called runs next to it, sorted files for scattered tables, in which a
// random write costs no page of its own (see the package runs). The log of the sorted files and
// the list of them are in the bbolt file, so that a commit of bbolt is a commit of everything.
//
// A store has one writer, a goroutine. It gathers the functions that come in at about the same
// time, runs them one after the other on one transaction, writes that, and syncs twice, as
// bbolt does: the pages, and then the page that leads to them.
//
// A snapshot is a read transaction of bbolt and the sorted files as they were at the commit
// with its number. So a View that is opened while a commit syncs does not wait for the disk: it
// gets the commit before, or, once bbolt has written the page that leads to its pages, the
// commit that is about to be durable. What a View saw of such a commit may be gone after a
// power failure.
//
// bbolt has no checksums and believes what its pages say. So Open checks the pages that it is
// going to read before bbolt does, Check reads all pages and compares the checksums of tables
// that are Checked, and Repair replaces a file with damaged pages by a copy of what can be
// read.
package disk

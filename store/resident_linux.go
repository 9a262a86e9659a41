package store

import (
	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// giveBackPages takes the first size bytes of the mapped file out of the process. They
// stay in the system's cache, from where a page that is read again costs a fraction
// of a microsecond. Else every page that was ever read counts as the crawl's memory,
// since the system maps whole stretches of 16 at a time and takes none back
// while there is memory left. Nothing may map the file anew meanwhile, so only the writer
// may call it.
func giveBackPages(db *bbolt.DB, size int64) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, db.Info().Data, uintptr(size), unix.MADV_DONTNEED) // advice
}

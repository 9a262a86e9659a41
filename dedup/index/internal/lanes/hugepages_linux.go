package lanes

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a large page on most machines, in bytes.
const hugePage = 2 << 20

// AdviseHuge asks for large pages for memory that has not been written yet. A query reads lines
// from all over a table; with pages of 4 KB it waits twice for most of them, once for the address
// translation. The system may ignore the advice.
func AdviseHuge[T any](room []T) {
	size := uintptr(len(room)) * unsafe.Sizeof(*new(T))
	if size < hugePage/16 {
		return
	}
	// The first and the last page belong in part to others, which a large page does not harm.
	start := uintptr(unsafe.Pointer(unsafe.SliceData(room)))
	end := start + size
	first := start &^ (hugePage - 1)
	last := (end + hugePage - 1) &^ (hugePage - 1)
	unix.Syscall(unix.SYS_MADVISE, first, last-first, unix.MADV_HUGEPAGE)
}

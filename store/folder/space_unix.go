//go:build unix

package folder

import (
	"io/fs"
	"syscall"
)

// space returns how many bytes of disk a file takes. crawl.db is longer than the part of it that
// was ever written.
func space(i fs.FileInfo) int64 {
	if s, ok := i.Sys().(*syscall.Stat_t); ok {
		return 512 * int64(s.Blocks)
	}
	return i.Size()
}

//go:build !unix

package folder

import "io/fs"

// space returns the length of a file in bytes.
func space(i fs.FileInfo) int64 { return i.Size() }

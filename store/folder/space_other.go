//go:build !unix

package folder

import "io/fs"

// space returns how long a file is, in bytes.
func space(i fs.FileInfo) int64 { return i.Size() }

//go:build !unix

package folder

import "io/fs"

// Space returns how long a file is, in bytes.
func Space(i fs.FileInfo) int64 { return i.Size() }

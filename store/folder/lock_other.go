//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package folder

import "os"

func lock(*os.File) error { return nil }

func lockShared(*os.File) error { return nil }

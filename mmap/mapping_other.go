//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package mmap

import (
	"io"
	"os"
)

// Shared says whether what is written into a mapping reaches the file. Here it
// does not: a filter lives in memory and is never intact when it is opened.
const Shared = false

// File returns memory of the size.
func File(_ *os.File, _ int64, size int) ([]byte, error) { return make([]byte, size), nil }

// ReadOnly reads the first size bytes of a file.
func ReadOnly(f *os.File, size int) ([]byte, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(f, b)
	return b, err
}

// Sync does nothing.
func Sync([]byte) error { return nil }

// Unmap does nothing.
func Unmap([]byte) error { return nil }

// BootID is zero here.
func BootID() [16]byte { return [16]byte{} }

//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package mmap

import (
	"io"
	"os"
)

// Shared says whether bytes that are written into a mapping reach the file. On this system they do
// not: a filter is only in memory, and never intact when it is opened.
const Shared = false

// File returns plain memory of this size.
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

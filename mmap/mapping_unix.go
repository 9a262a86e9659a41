//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mmap

import (
	"encoding/hex"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Shared says whether bytes that are written into a mapping reach the file.
const Shared = true

// File maps size bytes of a file, which must have that many.
func File(f *os.File, at int64, size int) ([]byte, error) {
	b, err := unix.Mmap(int(f.Fd()), at, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return b, nil
}

// ReadOnly maps the first size bytes of a file, which must have that many.
func ReadOnly(f *os.File, size int) ([]byte, error) {
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return b, nil
}

// Sync waits until the bytes that were written into a mapping are on the disk.
func Sync(b []byte) error { return os.NewSyscallError("msync", unix.Msync(b, unix.MS_SYNC)) }

// Unmap ends a mapping. It must not be read after that.
func Unmap(b []byte) error { return os.NewSyscallError("munmap", unix.Munmap(b)) }

// BootID identifies this run of the machine's kernel; zero if the system does not tell (all but
// Linux).
func BootID() (id [16]byte) {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return id
	}
	raw, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(string(b)), "-", ""))
	if err != nil || len(raw) != len(id) {
		return id
	}
	return [16]byte(raw)
}

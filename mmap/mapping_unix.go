//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mmap

import (
	"encoding/hex"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Shared says whether what is written into a mapping reaches the file.
const Shared = true

// File maps size bytes of a file, which must have them.
func File(f *os.File, at int64, size int) ([]byte, error) {
	b, err := unix.Mmap(int(f.Fd()), at, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return b, nil
}

// ReadOnly maps the first size bytes of a file, which must have them.
func ReadOnly(f *os.File, size int) ([]byte, error) {
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return b, nil
}

// Sync waits until the disk has what was written into a mapping.
func Sync(b []byte) error { return os.NewSyscallError("msync", unix.Msync(b, unix.MS_SYNC)) }

// Unmap ends a mapping; nothing may be read of it any more.
func Unmap(b []byte) error { return os.NewSyscallError("munmap", unix.Munmap(b)) }

// BootID names this run of the machine's kernel; it is zero where the system
// does not tell (all but Linux).
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

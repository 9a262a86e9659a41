//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package dedup

import (
	"encoding/hex"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// mapped says whether what is written into a mapping reaches the file.
const mapped = true

// mapFile maps size bytes of a file, which must have them.
func mapFile(f *os.File, at int64, size int) ([]byte, error) {
	b, err := unix.Mmap(int(f.Fd()), at, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return b, nil
}

// mapToRead maps the first size bytes of a file, which must have them.
func mapToRead(f *os.File, size int) ([]byte, error) {
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return b, nil
}

func syncMapping(b []byte) error { return os.NewSyscallError("msync", unix.Msync(b, unix.MS_SYNC)) }

func unmap(b []byte) error { return os.NewSyscallError("munmap", unix.Munmap(b)) }

// bootID names this run of the machine's kernel; it is zero where the system
// does not tell (all but Linux).
func bootID() (id [16]byte) {
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

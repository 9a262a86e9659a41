// Package durable has what files share that have to outlive a crash: the checksum of what
// is in them, files that are there whole or not at all, and names that are on the disk.
package durable

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum returns the CRC-32C of bytes: the Castagnoli polynomial, for which processors have
// an instruction.
func Sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// Update returns the Sum of bytes whose Sum is known, with others behind them.
func Update(sum uint32, b []byte) uint32 { return crc32.Update(sum, castagnoli, b) }

// CheckFile returns an error if there is something else than a file at a path, also behind a link:
// a device or a pipe, in whose place a file would be, or a folder.
func CheckFile(path string) error {
	if i, err := os.Stat(path); err == nil && !i.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file: name one", path)
	}
	return nil
}

// WriteFile writes a file under another name, and gives it its own when it is complete and on the
// disk: a crash leaves the old file or the new one. What write returns an error for is removed. It
// writes nothing where CheckFile returns an error.
func WriteFile(path string, mode fs.FileMode, write func(f *os.File) error) error {
	if err := CheckFile(path); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it is not there any more where it has its own name
	err = write(f)
	if err := errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// SyncDir makes the names in a folder durable: files that were created, renamed or removed
// there stay so after a power cut. Where the system or the file system cannot do that it
// does nothing.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such call
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

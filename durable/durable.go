// Package durable has what files that must survive a crash have in common: a checksum of their
// content, files that are replaced as a whole or not at all, and names that are durable too.
package durable

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum returns the CRC-32C of bytes: the Castagnoli polynomial, for which processors have
// an instruction.
func Sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// Update returns the Sum of some bytes followed by b, given the Sum of the former.
func Update(sum uint32, b []byte) uint32 { return crc32.Update(sum, castagnoli, b) }

// CheckFile returns an error if there is something other than a regular file at a path, perhaps
// behind a link: a device or a pipe, which a file must not replace, or a folder.
func CheckFile(path string) error {
	if i, err := os.Stat(path); err == nil && !i.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file: name one", path)
	}
	return nil
}

// WriteFile writes a file under a temporary name, and renames it when it is complete and durable.
// So a crash leaves the old file or the new one. If write returns an error the temporary file is
// removed. If CheckFile returns an error nothing is written. An error of the system names path, not
// the temporary name: it means something to the user, and is the same at each try.
func WriteFile(path string, mode fs.FileMode, write func(f *os.File) error) error {
	if err := CheckFile(path); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if err != nil {
		return of(path, err)
	}
	defer os.Remove(f.Name()) // it is not there any more if it was renamed
	err = of(path, write(f))
	if err := errors.Join(err, of(path, f.Chmod(mode)), of(path, f.Sync()), of(path, f.Close())); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// of replaces a temporary name by path in an error of the system. An error that was wrapped stays as
// it is.
func of(path string, err error) error {
	if fault, ok := err.(*fs.PathError); ok && strings.HasSuffix(fault.Path, ".part") {
		return &fs.PathError{Op: fault.Op, Path: path, Err: fault.Err}
	}
	return err
}

// SyncDir makes the names in a folder durable: files that were created, renamed or removed there
// remain so after a power cut. It does nothing if the operating system or the file system cannot do
// that.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // the system has no such call
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

// Package scratch makes temporary files that vanish when the process ends, even if it is killed.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Create returns a new, empty file in dir, or in the system's folder for temporary files if dir is
// "". The pattern is that of os.CreateTemp. If the system allows it the file's name is removed at
// once, so that a killed process leaves nothing behind.
func Create(dir, pattern string) (*os.File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	os.Remove(f.Name()) // if the system does not allow this, Close removes the file
	return f, nil
}

// Close closes files of Create, and removes those that still have a name.
func Close(files ...*os.File) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Close())
		if err := os.Remove(f.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

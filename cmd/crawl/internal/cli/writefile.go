package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// WriteFile writes a file under another name, and gives it its own when it is complete. A
// device or a pipe is refused, also behind a link: the file would take its place.
func WriteFile(path string, write func(f *os.File) error) error {
	if i, err := os.Stat(path); err == nil && !i.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file: name one", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = write(f)
	if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

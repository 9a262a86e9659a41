package export

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// On a full disk the temporary files of a WACZ cannot be made; in a folder that does not exist neither can they.
func TestAnArchiveWhoseFilesCannotBeMadeIsAnError(t *testing.T) {
	dir := t.TempDir()
	e := &Exporter{o: Options{Format: WACZ, Path: filepath.Join(dir, "none", "x.wacz")}}
	if _, err := createFile(e, filepath.Join(dir, "x.wacz"), ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("createFile = %v, want that there is no such folder", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v, want nothing", left, err)
	}
}

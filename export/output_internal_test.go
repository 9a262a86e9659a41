package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The name of a temporary file means nothing to the user, and the file is removed.
func TestAFaultNamesTheFileThatWasToBeWritten(t *testing.T) {
	dir := t.TempDir()
	for _, o := range []Options{
		{Format: JSONL, Path: filepath.Join(dir, "rows.jsonl")},
		{Format: JSONL, Path: filepath.Join(dir, "shards"), ShardBytes: 1000},
	} {
		for _, finish := range []bool{true, false} {
			e, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			switch out := e.out.(type) {
			case *single:
				out.f.f.Close()
			case *folder:
				if out.now, err = createFile(e, filepath.Join(out.tmp, "part-00001.jsonl"), ""); err != nil {
					t.Fatal(err)
				}
				out.now.f.Close()
			}
			if finish {
				_, err = e.Finish()
			} else {
				fault := &fs.PathError{Op: "write", Path: filepath.Join(dir, ".rows.jsonl.ABCDEFGH.part", "x"), Err: syscall.ENOSPC}
				err = e.Abort(fmt.Errorf("page 1: %w", fault))
			}
			if want := o.Path + " is not written: "; err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), ".part") {
				t.Errorf("%s: %v, want %q and no temporary name", o.Path, err, want)
			}
			if !finish && !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s: %v is not a full disk any more", o.Path, err)
			}
		}
	}
}

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

package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSumIsCRC32C(t *testing.T) {
	const want = 0xe3069283 // the check value of CRC-32C
	if got := Sum([]byte("123456789")); got != want {
		t.Errorf("Sum = %#x, want %#x", got, want)
	}
	if got := Update(Sum([]byte("1234")), []byte("56789")); got != want {
		t.Errorf("Update of two halves = %#x, want %#x", got, want)
	}
}

func TestSyncDirOfAFolderThatIsNotThereFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := SyncDir(dir); err != nil {
		t.Errorf("SyncDir of a folder: %v", err)
	}
	if err := SyncDir(filepath.Join(dir, "none")); err == nil {
		t.Error("SyncDir of a folder that is not there reports nothing")
	}
}

func TestAFileIsReplacedWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	fault := errors.New("fault")
	for _, c := range []struct {
		write string
		err   error
		want  string
	}{{"first", nil, "first"}, {"half of the sec", fault, "first"}, {"second", nil, "second"}} {
		err := WriteFile(path, 0o640, func(f *os.File) error {
			_, err := f.WriteString(c.write)
			return errors.Join(err, c.err)
		})
		if !errors.Is(err, c.err) {
			t.Errorf("WriteFile = %v, want %v", err, c.err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != c.want {
			t.Errorf("the file has %q, %v, want %q", got, err, c.want)
		}
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("the folder has %v, %v, want the file alone", names, err)
	}
	if i, err := os.Stat(path); err != nil || i.Mode().Perm() != 0o640 {
		t.Errorf("the file is %v, %v, want mode 640", i, err)
	}
}

// A full disk is reported again and again while it is full: with the temporary name each report was
// another one, and none named the file that the user knows.
func TestAFaultNamesTheFileAndNotItsTemporaryName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	full := func(f *os.File) error { return &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC} }
	if err := WriteFile(path, 0o600, full); !errors.Is(err, syscall.ENOSPC) || err.Error() != "write "+path+": "+syscall.ENOSPC.Error() {
		t.Errorf("WriteFile to a full disk = %v", err)
	}
	nowhere := filepath.Join(path, "in", "no", "folder")
	if err, want := WriteFile(nowhere, 0o600, full), "open "+nowhere+": "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("WriteFile in a folder that is not there = %v, want %s...", err, want)
	}
}

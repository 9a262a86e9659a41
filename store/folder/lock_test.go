package folder_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"gatecrawl.example/gatecrawl/store/folder"
)

func TestAFolderIsLockedOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no flock")
	}
	dir := t.TempDir()
	unlock, err := folder.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = folder.Lock(dir)
	if locked := (*folder.LockedError)(nil); !errors.As(err, &locked) {
		t.Fatalf("Lock of a locked folder = %v, want a LockedError", err)
	} else if runtime.GOOS == "linux" && locked.PID != os.Getpid() {
		t.Errorf("it is locked by %d, want %d", locked.PID, os.Getpid())
	}
	unlock()
	again, err := folder.Lock(dir)
	if err != nil {
		t.Fatalf("Lock after unlock = %v", err)
	}
	again()
}

func TestAJobIsWantedUntilWantIsDone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no flock")
	}
	dir := t.TempDir()
	wanted := func(want bool, when string) {
		t.Helper()
		if got := folder.Wanted(dir); got != want {
			t.Errorf("Wanted %s = %v, want %v", when, got, want)
		}
	}
	wanted(false, "at first")
	for range 2 {
		done, err := folder.Want(dir)
		if err != nil {
			t.Fatal(err)
		}
		wanted(true, "after Want")
		wanted(true, "after Wanted")
		done()
		wanted(false, "after done")
	}
	if err := os.WriteFile(filepath.Join(dir, "wanted"), nil, 0o600); err != nil { // of a process that was killed
		t.Fatal(err)
	}
	wanted(false, "with a file that was left")
}

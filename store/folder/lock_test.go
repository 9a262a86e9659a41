package folder_test

import (
	"errors"
	"os"
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

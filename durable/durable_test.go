package durable

import (
	"os"
	"path/filepath"
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

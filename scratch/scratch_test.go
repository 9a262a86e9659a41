package scratch_test

import (
	"io"
	"os"
	"testing"

	"gatecrawl.example/gatecrawl/scratch"
)

// A temporary file can be written and read, and nothing of it is left once it is closed.
func TestNothingIsLeftOfAClosedFile(t *testing.T) {
	dir := t.TempDir()
	f, err := scratch.Create(dir, "rows-*")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(f); err != nil || string(got) != "text" {
		t.Fatalf("read %q, %v; want what was written", got, err)
	}
	if err := scratch.Close(f); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left after Close: %v, %v", left, err)
	}
}

func TestAFolderThatIsNotThereIsAnError(t *testing.T) {
	if f, err := scratch.Create(t.TempDir()+"/none", "rows-*"); err == nil {
		t.Errorf("Create made %s", f.Name())
	}
}

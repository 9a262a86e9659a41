package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteFileDoesNotTakeThePlaceOfADevice(t *testing.T) {
	dir := t.TempDir()
	link, file := filepath.Join(dir, "link"), filepath.Join(dir, "file")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Skip("no symbolic links here")
	}
	write := func(f *os.File) error {
		_, err := io.WriteString(f, "text")
		return err
	}
	for _, name := range []string{link, dir} {
		if err := WriteFile(name, write); err == nil || !strings.Contains(err.Error(), "is not a file") {
			t.Errorf("WriteFile(%s) = %v, want that it is not a file", name, err)
		}
	}
	if to, err := os.Readlink(link); to != os.DevNull {
		t.Errorf("the link leads to %q (%v)", to, err)
	}
	if err := WriteFile(file, write); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); string(b) != "text" {
		t.Errorf("the file has %q (%v)", b, err)
	}
	if names, err := os.ReadDir(dir); len(names) != 2 {
		t.Errorf("the folder has %v (%v), want the link and the file", names, err)
	}
}

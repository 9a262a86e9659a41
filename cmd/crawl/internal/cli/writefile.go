package cli

import (
	"fmt"
	"os"

	"gatecrawl.example/gatecrawl/durable"
)

// WriteFile is durable.WriteFile for a file that a user names. A device or a pipe is refused, also
// behind a link: the file would take its place.
func WriteFile(path string, write func(f *os.File) error) error {
	if i, err := os.Stat(path); err == nil && !i.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file: name one", path)
	}
	return durable.WriteFile(path, 0o644, write)
}

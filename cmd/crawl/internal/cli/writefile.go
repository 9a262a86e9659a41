package cli

import (
	"os"

	"gatecrawl.example/gatecrawl/durable"
)

// WriteFile is durable.WriteFile for a file that a user has named, which others may read.
func WriteFile(path string, write func(f *os.File) error) error {
	return durable.WriteFile(path, 0o644, write)
}

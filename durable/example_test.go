package durable_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gatecrawl.example/gatecrawl/durable"
)

// A file gets its name when it is whole, and the name is on the disk when SyncDir returns.
func ExampleSyncDir() {
	dir, err := os.MkdirTemp("", "durable")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	part, name := filepath.Join(dir, "rows.part"), filepath.Join(dir, "rows")
	if err := os.WriteFile(part, []byte("rows"), 0o600); err != nil {
		log.Fatal(err)
	}
	if err := os.Rename(part, name); err != nil {
		log.Fatal(err)
	}
	if err := durable.SyncDir(dir); err != nil {
		log.Fatal(err)
	}
	fmt.Println("the name is durable")
	// Output: the name is durable
}

// A checksum can be continued with the bytes that follow.
func ExampleUpdate() {
	whole := durable.Sum([]byte("head and body"))
	fmt.Println(durable.Update(durable.Sum([]byte("head ")), []byte("and body")) == whole)
	// Output: true
}

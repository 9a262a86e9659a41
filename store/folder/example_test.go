package folder_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gatecrawl.example/gatecrawl/store/folder"
)

// A folder that somebody else has prepared may have a link in place of a job's file.
func ExampleNoLinks() {
	dir, err := os.MkdirTemp("", "folder")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	job := filepath.Join(dir, "job")
	if err := folder.Make(job); err != nil {
		log.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "secret"), filepath.Join(job, "crawl.db")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(folder.NoLinks(job, "crawl.db") != nil)
	// Output:
	// true
}

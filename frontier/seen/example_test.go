package seen_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gatecrawl.example/gatecrawl/frontier/seen"
)

// Has is false only for a key that was never added.
func Example() {
	dir, err := os.MkdirTemp("", "seen")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	f, _, err := seen.Open(filepath.Join(dir, "seen.bloom"), seen.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	f.Add([16]byte{1})
	fmt.Println(f.Has([16]byte{1}), f.Has([16]byte{2}), f.Len())
	// Output:
	// true false 1
}

package runs_test

import (
	"fmt"
	"log"
	"os"

	"gatecrawl.example/gatecrawl/store/kv/disk/runs"
)

// The owner of a table adds two keys. In a store they are in its log first, so that a crash
// loses nothing.
func Example() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	table, err := runs.Open(dir, nil, runs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()

	slab := runs.NewSlab(22, 2)
	slab.Add('u', []byte("/a"), []byte("page one"), false)
	slab.Add('u', []byte("/b"), []byte("page two"), false)
	table.Apply(table.Fold(slab))

	now := table.Snapshot()
	defer now.Release()
	err = now.Range([]byte("u/"), nil, func(key, value []byte) bool {
		fmt.Printf("%s: %s\n", key, value)
		return true
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// u/a: page one
	// u/b: page two
}

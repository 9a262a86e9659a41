package mmap_test

import (
	"fmt"
	"log"
	"os"

	"gatecrawl.example/gatecrawl/mmap"
)

func ExampleReadOnly() {
	f, err := os.CreateTemp("", "mmap")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.WriteString("a page of a book"); err != nil {
		log.Fatal(err)
	}
	b, err := mmap.ReadOnly(f, 6)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(b))
	if err := mmap.Unmap(b); err != nil {
		log.Fatal(err)
	}
	// Output:
	// a page
}

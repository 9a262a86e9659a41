package scratch_test

import (
	"fmt"
	"log"
	"os"

	"gatecrawl.example/gatecrawl/scratch"
)

func ExampleCreate() {
	f, err := scratch.Create("", "rows-*")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := f.WriteString("one\ntwo\n"); err != nil {
		log.Fatal(err)
	}
	b := make([]byte, 4)
	if _, err := f.ReadAt(b, 4); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", b)
	if err := scratch.Close(f); err != nil {
		log.Fatal(err)
	}
	_, err = os.Stat(f.Name())
	fmt.Println(os.IsNotExist(err))
	// Output:
	// "two\n"
	// true
}

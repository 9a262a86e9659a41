package single_test

import (
	"fmt"
	"log"
	"strings"

	"gatecrawl.example/gatecrawl/corpus/single"
)

// A page from a file, without its site.
func Example() {
	file := strings.NewReader(`<!doctype html><title>Bees in winter</title>
<article><p>A hive does not sleep. The bees keep it warm, and eat the honey that was stored in summer.</p></article>`)
	p, err := single.Read(file, "text/html")
	if err != nil {
		log.Fatal(err)
	}
	v := p.View()
	fmt.Println(v.Title)
	fmt.Println(v.Body)
	// Output:
	// Bees in winter
	// A hive does not sleep. The bees keep it warm, and eat the honey that was stored in summer.
}

package page_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// A DocView is stored packed.
func Example() {
	view := purify.Purify([]byte("<title>Bees</title><p>A hive does not sleep."), "text/html")
	packed := page.PackView(view)
	again, err := page.UnpackView(packed)
	if err != nil {
		panic(err)
	}
	fmt.Println(again.Title, again.Body)
	// Output:
	// Bees A hive does not sleep.
}

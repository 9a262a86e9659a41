package skin_test

import (
	"bytes"
	"fmt"

	"gatecrawl.example/gatecrawl/testserver/corpus"
	"gatecrawl.example/gatecrawl/testserver/skin"
)

// The text of a page in the layout of another site.
func ExampleSkin_Wrap() {
	page := []byte("<title>Swifts</title><main><h1>Swifts</h1><p>Swifts fly to Africa in August.</p></main>")
	site := skin.New(&skin.Layouts[0], 0, 1, "Birds", skin.UTF8, corpus.LabelsOnly(), []skin.Link{{Path: "all", Label: "All pages"}}, nil, 0)
	wrapped := site.Wrap(page)
	fmt.Println(bytes.Contains(wrapped, []byte("Swifts fly to Africa in August.")), bytes.Contains(wrapped, []byte("All pages")))
	// Output:
	// true true
}

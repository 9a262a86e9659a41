package structure_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/purify/structure"
)

func Example() {
	html := []byte("<h2>Care</h2><p>A hive wants to be looked at each week.<ul><li>Bring smoke.</ul>")
	body := "Care\nA hive wants to be looked at each week.\nBring smoke." // as purify.DocView has it
	doc := structure.Read(structure.Page{Bytes: html, ContentType: "text/html", Body: body, Title: "Bees"})
	fmt.Println(doc.Markdown())
	// Output:
	// # Bees
	//
	// ## Care
	//
	// A hive wants to be looked at each week.
	//
	// - Bring smoke.
}

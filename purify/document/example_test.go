package document_test

import (
	"archive/zip"
	"bytes"
	"fmt"

	"gatecrawl.example/gatecrawl/purify/document"
)

// The text of an OpenDocument file.
func Example() {
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	f, err := w.Create("content.xml")
	if err != nil {
		panic(err)
	}
	fmt.Fprint(f, `<body xmlns:text="t"><text:p>A hive does not sleep.</text:p></body>`)
	if err := w.Close(); err != nil {
		panic(err)
	}
	kind := document.KindOf(document.Sniff(file.Bytes()))
	text, err := document.Text(kind, file.Bytes())
	fmt.Printf("%s: %q %v\n", kind, text, err)
	// Output: odt: "A hive does not sleep.\n\n" <nil>
}

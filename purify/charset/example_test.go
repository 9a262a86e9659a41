package charset_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/purify/charset"
)

func ExampleDecode() {
	text, name := charset.Decode([]byte("<meta charset=windows-1252>caf\xe9"), "text/html")
	fmt.Printf("%s, from %s\n", text, name)
	// Output:
	// <meta charset=windows-1252>café, from windows-1252
}

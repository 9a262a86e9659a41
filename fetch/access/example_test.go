package access_test

import (
	"fmt"
	"net/http"

	"gatecrawl.example/gatecrawl/fetch/access"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// What is given for one host goes to no other, and not without TLS.
func Example() {
	h, err := access.ParseHeader("example.org:X-Key=secret")
	if err != nil {
		panic(err)
	}
	g := &access.Grants{Headers: []access.Header{h}}
	for _, text := range []string{"https://example.org/a", "https://www.example.org/a", "http://example.org/a"} {
		u, err := weburl.Parse(text)
		if err != nil {
			panic(err)
		}
		fields := make(http.Header)
		fmt.Println(u, g.Apply(fields, u), fields)
	}
	// Output:
	// https://example.org/a true map[X-Key:[secret]]
	// https://www.example.org/a false map[]
	// http://example.org/a false map[]
}

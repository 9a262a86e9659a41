package soft404_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/soft404"
)

// What a site answers at a URL where nothing is tells its error page from its pages.
func ExampleProbeURL() {
	u, err := weburl.Parse("https://example.org/docs/install.html")
	if err != nil {
		panic(err)
	}
	v, err := weburl.Parse("https://example.org/docs/usage.html")
	if err != nil {
		panic(err)
	}
	a, _ := soft404.ProbeURL(u)
	b, _ := soft404.ProbeURL(v)
	fmt.Println(a != u, a == b)
	// Output:
	// true true
}

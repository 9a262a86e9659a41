package robots_test

import (
	"fmt"
	"log"

	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// What a robots.txt says of a URL, and by which line.
func ExampleRules_Check() {
	r := robots.Parse([]byte("User-agent: *\nDisallow: /private/\nAllow: /private/notes\nCrawl-delay: 3\n"))
	for _, path := range []string{"/", "/private/", "/private/notes"} {
		u, err := weburl.Parse("https://example.org" + path)
		if err != nil {
			log.Fatal(err)
		}
		v := r.Check("gatecrawl", u)
		fmt.Printf("%s allowed: %v, line %d\n", path, v.Allowed, v.Line)
	}
	fmt.Println(r.Delay("gatecrawl"))
	// Output:
	// / allowed: true, line 0
	// /private/ allowed: false, line 2
	// /private/notes allowed: true, line 3
	// 3s
}

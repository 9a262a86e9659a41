package dust_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
)

// Parameters that only say where a visitor came from are removed from links.
func ExampleLists_Strip() {
	u, err := weburl.Parse("https://example.org/story?id=7&utm_source=mail&fbclid=abc")
	if err != nil {
		panic(err)
	}
	clean, rule := dust.NewLists(true).Strip(u)
	fmt.Println(clean)
	fmt.Println(rule)
	// Output:
	// https://example.org/story?id=7
	// tracking parameters
}

// Compare names the rules by which two URLs are equivalent.
func ExampleCompare() {
	parse := func(s string) weburl.URL {
		u, err := weburl.Parse(s)
		if err != nil {
			panic(err)
		}
		return u
	}
	differences, ok := dust.Compare(parse("https://example.org/a/"), parse("https://www.example.org/a/index.html?ref=home"))
	fmt.Println(ok)
	for _, rules := range differences {
		fmt.Println(rules)
	}
	// Output:
	// true
	// [www. before the host does not matter on example.org]
	// [index.html is the same page as its folder on example.org]
	// [parameter ref does not matter on example.org parameter ref=home does not matter on example.org]
}

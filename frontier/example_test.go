package frontier_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A scope says which links are followed, and which rule refuses the others.
func ExampleScope() {
	o := frontier.DefaultScopeOptions()
	o.MaxDepth, o.Exclude = 3, []string{`\?print=`}
	scope, err := frontier.NewScope(o)
	if err != nil {
		panic(err)
	}
	seed, err := seeds.Parse("example.org")
	if err != nil {
		panic(err)
	}
	scope.AddRoot(seed)
	for _, link := range []string{"/about", "/about?print=1", "https://elsewhere.example/"} {
		u, err := seed.Parse(link)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %+v\n", u, scope.Check(u, 1, frontier.Trail{}))
	}
	u, _ := weburl.Parse(seed.String() + "deep")
	fmt.Println(scope.Check(u, 4, frontier.Trail{}).Rule)
	// Output:
	// https://example.org/about: {Rule: Detail:}
	// https://example.org/about?print=1: {Rule:exclude Detail:\?print=}
	// https://elsewhere.example/: {Rule:scope:host Detail:elsewhere.example is not a seed's host}
	// depth
}

package priority_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/priority"
)

// A score is a sum of terms, which explain it.
func Example() {
	o := priority.DefaultOptions()
	s := priority.Signals{Depth: 2, Anchor: 0.5}
	fmt.Println(o.Score(s))
	for _, t := range o.Terms(s) {
		fmt.Printf("%+.1f %s: %s\n", t.Value, t.Name, t.Why)
	}
	// Output:
	// 4
	// -2.0 depth: 2 links from the nearest seed
	// +6.0 anchor: the link's words are 50% on the topic
}

// A topic rates pages and the words of links.
func ExampleTopic() {
	t, err := priority.NewTopic("telescope mirror")
	if err != nil {
		panic(err)
	}
	fmt.Println(t.Words("Grinding telescope mirrors", "/optics/mirror") > t.Words("About us", "/about"))
	// Output:
	// true
}

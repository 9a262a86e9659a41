package priority_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/priority"
)

// A score is a sum of terms, which explain it.
func Example() {
	o := priority.DefaultOptions()
	o.Focused = true
	s := priority.Signals{Depth: 2, Links: 1, Sum: 0.8, Relevance: 0.8, Anchor: 0.5}
	fmt.Printf("%.1f\n", o.Score(s))
	for _, t := range o.Terms(s) {
		fmt.Printf("%+.1f %s: %s\n", t.Value, t.Name, t.Why)
	}
	// Output:
	// 47.2
	// +7.2 mean: 1 page links here, which counts as 30% on the topic, since it is the only one
	// +9.6 best: the best linking page is 80% on the topic
	// +30.0 anchor: the link's words are 50% on the topic
	// +0.4 links: 1 page links here
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

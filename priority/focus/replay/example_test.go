package replay_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/priority/focus/replay"
)

// A crawl fetched the pages about trains first.
func Example() {
	var w replay.Web
	w.Add("/", true, []string{"/trains", "/birds"})
	w.Add("/trains", false, []string{"/trains/night"})
	w.Add("/trains/night", false, nil)
	w.Add("/birds", false, []string{"/birds/heron"})
	w.Add("/birds/heron", false, nil)
	topic, n := w.Topic(func(url string) bool { return url == "/birds" || url == "/birds/heron" })
	breadthFirst, _ := w.BreadthFirst()
	fmt.Println(n, w.Crawled().Mark(topic).QuarterHad, breadthFirst.Mark(topic).QuarterHad, w.Ideal(topic).Mark(topic).QuarterHad)
	// Output:
	// 2 4 3 2
}

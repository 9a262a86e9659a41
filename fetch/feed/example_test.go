package feed_test

import (
	"fmt"
	"strings"

	"gatecrawl.example/gatecrawl/fetch/feed"
)

const news = `<rss><channel><title>News</title>
<item><title>Bees in winter</title><link>https://example.org/bees</link><description>A hive does not sleep.</description></item>
</channel></rss>`

// A document is known by its first element.
func Example() {
	fmt.Println(feed.KindOf([]byte(news)))
	for item, err := range feed.Items(strings.NewReader(news), "", feed.MaxBytes) {
		fmt.Println(item.Ref, err)
	}
	for _, a := range feed.Parse([]byte(news), 10).Articles {
		fmt.Println(a.Title + ": " + a.Text)
	}
	// Output:
	// rss
	// https://example.org/bees <nil>
	// Bees in winter: A hive does not sleep.
}

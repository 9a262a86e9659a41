package board_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/page"
)

// A board is a record hook of a crawl: c.OnRecord(b.Settled).
func Example() {
	b := board.New()
	b.Settled(page.Record{
		URL: "http://example.org/login", Verdict: page.VerdictRefused, Rule: "robots", Reason: "robots.txt line 3: /login",
	})
	now := b.Now(10)
	fmt.Println(now.Run.Pages, now.Refused[0].Reason, now.Hosts[0].Name)
	// Output:
	// 1 robots.txt line 3: /login example.org
}

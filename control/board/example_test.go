package board_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/page"
)

// A board is a page hook of a crawl: c.OnPage(b.Settled).
func Example() {
	b := board.New()
	b.Settled(gatecrawl.Settled{Record: page.Record{
		URL: "http://example.org/login", Verdict: page.VerdictRefused, Rule: "robots", Reason: "robots.txt line 3: /login",
	}})
	now := b.Now(10)
	fmt.Println(now.Run.Pages, now.Refused[0].Reason, now.Hosts[0].Name)
	// Output:
	// 1 robots.txt line 3: /login example.org
}

package score_test

import (
	"fmt"

	"gatecrawl.example/gatecrawl/testserver/score"
)

// A crawl has found one of two copies.
func ExampleTruth_Score() {
	truth := score.Truth{Pages: []score.Page{
		{URL: "http://a.example/", Kind: score.KindPage, Group: 1, Bytes: 1, Text: 1},
		{URL: "http://b.example/", Kind: score.KindPage, Group: 1, Bytes: 1, Text: 1},
		{URL: "http://c.example/", Kind: score.KindPage, Group: 1, Bytes: 1, Text: 1},
	}}
	report := truth.Score([]score.Record{
		{URL: "http://a.example/"},
		{URL: "http://b.example/", Copy: true, Of: "http://a.example/", Level: 3},
		{URL: "http://c.example/"},
	})
	fmt.Println(report.Exact.Precision(), report.Exact.Recall())
	// Output:
	// 1 0.5
}

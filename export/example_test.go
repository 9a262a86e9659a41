package export_test

import (
	"os"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/export"
	"gatecrawl.example/gatecrawl/page"
)

// The rows of a job come from its Inspector's Rows.
func Example() {
	e, err := export.New(export.Options{Format: export.CSV, Fields: []string{"url", "verdict", "of"}, Out: os.Stdout})
	if err != nil {
		panic(err)
	}
	row := &gatecrawl.Row{Page: page.Record{URL: "http://a.example/b", Verdict: page.VerdictCopy, Of: "http://a.example/"}}
	if err := e.Write(row); err != nil {
		panic(e.Abort(err))
	}
	if _, err := e.Finish(); err != nil {
		panic(err)
	}
	// Output:
	// url,verdict,of
	// http://a.example/b,copy,http://a.example/
}

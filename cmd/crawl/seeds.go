package main

import (
	"fmt"
	"io"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/humanize"
)

// seedFaults tells of the lines of seed lists that are not URLs: the first few are shown, the
// others counted.
type seedFaults struct {
	say io.Writer
	n   int
}

func (f *seedFaults) tell(err error) {
	f.n++
	if f.n <= cli.BadShown {
		fmt.Fprintln(f.say, err)
	}
}

// end says how many lines were not shown. It may be called again.
func (f *seedFaults) end() {
	if f.n > cli.BadShown {
		fmt.Fprintf(f.say, "and %s\n", humanize.Many(f.n-cli.BadShown, "more line that is not a URL", "more lines that are not URLs"))
	}
	f.n = 0
}

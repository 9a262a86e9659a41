package cli

import (
	"fmt"
	"io"

	"gatecrawl.example/gatecrawl/humanize"
)

// BadShown is how many bad lines or records of what a command reads are shown one by one.
const BadShown = 20

// Faults tells of the bad lines or records of what a command reads: the first BadShown are shown,
// the others counted.
type Faults struct {
	To        io.Writer
	One, More string // what those that are not shown are; "": lines or records that could not be read
	N         int    // told so far

	ended int // of N, those that End told of
}

// Tell shows a fault, if not too many were shown.
func (f *Faults) Tell(err error) {
	f.N++
	if f.N <= BadShown {
		fmt.Fprintln(f.To, err)
	}
}

// End says how many faults were not shown. It may be called again.
func (f *Faults) End() {
	one, more := f.One, f.More
	if one == "" {
		one, more = "more line or record that could not be read", "more lines or records that could not be read"
	}
	if left := f.N - max(f.ended, BadShown); left > 0 {
		fmt.Fprintf(f.To, "and %s\n", humanize.Many(left, one, more))
	}
	f.ended = f.N
}

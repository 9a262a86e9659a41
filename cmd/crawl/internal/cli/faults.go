package cli

import (
	"fmt"
	"io"

	"gatecrawl.example/gatecrawl/humanize"
)

// BadShown is how many bad lines or records of its input a command shows one by one.
const BadShown = 20

// Faults reports the bad lines or records of a command's input: the first BadShown one by one, the
// others as a number.
type Faults struct {
	To        io.Writer
	One, More string // what those are that are not shown; "": lines or records that could not be read
	N         int    // number so far

	ended int // of N, those that End has reported
}

// Tell shows a fault, if fewer than BadShown were shown.
func (f *Faults) Tell(err error) {
	f.N++
	if f.N <= BadShown {
		fmt.Fprintln(f.To, err)
	}
}

// End prints how many faults were not shown. It may be called again.
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

package main

import (
	"fmt"
	"io"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// badShown is how many bad lines of seed lists are shown one by one.
const badShown = 20

// seedFaults tells of the lines of seed lists that are not URLs: the first few are shown, the
// others counted.
type seedFaults struct {
	say io.Writer
	n   int
}

func (f *seedFaults) tell(err error) {
	f.n++
	if f.n <= badShown {
		fmt.Fprintln(f.say, err)
	}
}

// end says how many lines were not shown. It may be called again.
func (f *seedFaults) end() {
	if f.n > badShown {
		fmt.Fprintf(f.say, "and %s\n", many(f.n-badShown, "more line that is not a URL", "more lines that are not URLs"))
	}
	f.n = 0
}

// needContact refuses a URL off loopback where nobody is named for a
// webmaster to turn to.
func needContact(contact string, u weburl.URL) error {
	if contact != "" || u.Loopback() {
		return nil
	}
	return usagef("%s is not on this machine: say with --contact where its owner can reach you, "+
		"for example --contact you@example.org; it goes into the User-Agent", u)
}

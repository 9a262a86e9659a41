package main

import (
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/page"
)

func TestOneOfAThingIsNotPluralInARun(t *testing.T) {
	var b strings.Builder
	one := page.Totals{Pages: 1, New: 1, Copies: 1, Hosts: 1, ParkedHosts: 1, Parked: 1, Seen: 1, Revisits: 1, Votes: 1}
	b.WriteString(ranLine(gatecrawl.Tally{Fetched: 1, New: 1, Copies: 1, Redirects: 1, Errors: 1, Others: 1, Unchanged: 1, Promoted: 1, Forbidden: 1, Excluded: 1, Unanswered: 1}))
	live := control.Live{Totals: one, Tally: gatecrawl.Tally{Fetched: 1, New: 1, Copies: 1, Redirects: 1, Unanswered: 1, Seconds: 1}}
	b.WriteString(strings.Join(liveLines(live, 200, time.Now()), "\n"))
	for _, plural := range []string{"1 pages", "1 copies", "1 votes", "1 addresses", "1 hosts", "1 URLs", "1 times", "1 breaches", "1 redirects", "1 errors", "1 others", "1 are"} {
		if strings.Contains(b.String(), plural) {
			t.Errorf("%q is said:\n%s", plural, b.String())
		}
	}
}

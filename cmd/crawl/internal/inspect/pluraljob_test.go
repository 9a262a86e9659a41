package inspect

import (
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
)

func TestOneOfAThingIsNotPluralInAJob(t *testing.T) {
	var b strings.Builder
	one := page.Totals{Pages: 1, New: 1, Copies: 1, Hosts: 1, ParkedHosts: 1, Parked: 1, Seen: 1, Revisits: 1, Votes: 1}
	if err := showStatus(&b, gatecrawl.Status{Totals: one, Changes: &gatecrawl.ChangeRate{Visits: 1, Changes: 1}}, []gatecrawl.HostState{{Name: "a.com", Queued: 1, Rest: 3}}); err != nil {
		t.Fatal(err)
	}
	if err := showVerified(&b, gatecrawl.Verified{URLs: 1, Queued: 1, Pages: 1, Kept: 1, Votes: 1, Breaches: 1}); err != nil {
		t.Fatal(err)
	}
	if want := "a.com rests 3s between two requests (its Crawl-delay, or it is slow); 1 URL in its queue"; !strings.Contains(b.String(), want) {
		t.Errorf("%q is not said:\n%s", want, b.String())
	}
	for _, plural := range []string{"1 pages", "1 copies", "1 votes", "1 addresses", "1 hosts", "1 URLs", "1 times", "1 breaches", "1 redirects", "1 errors", "1 others", "1 are"} {
		if strings.Contains(b.String(), plural) {
			t.Errorf("%q is said:\n%s", plural, b.String())
		}
	}
}

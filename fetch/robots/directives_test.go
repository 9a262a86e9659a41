package robots

import (
	"net/http"
	"testing"
	"time"
)

var someDay = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestDirectives(t *testing.T) {
	no, nf := Directives{NoIndex: true}, Directives{NoFollow: true}
	for content, want := range map[string]Directives{
		"":                              {},
		"index, follow":                 {},
		"all":                           {},
		"noindex":                       no,
		"NOINDEX":                       no,
		" nofollow ":                    nf,
		"noindex,nofollow":              {true, true},
		"none":                          {true, true},
		"noarchive, max-snippet:20":     {},
		"max-image-preview:large, none": {true, true},
		"noindexing":                    {},
		"unavailable_after: 2026-11-20": no,
		"unavailable_after: 2026-11-22": {},
		"unavailable_after: soon":       {},
		"unavailable_after: Fri, 20 Nov 2026 10:00:00 GMT, nofollow": {true, true},
		"unavailable_after: Sunday, 22-Nov-26 10:00:00 GMT":          {},
		"nofollow, unavailable_after: 25 Jun 2010 15:00:00 PST":      {true, true},
		"UNAVAILABLE_AFTER: 2010-06-25T15:00:00Z":                    no,
	} {
		if got := ParseDirectives(content, someDay); got != want {
			t.Errorf("ParseDirectives(%q) = %+v, want %+v", content, got, want)
		}
	}
}

func TestRobotsTagsSpeakToOneOrAll(t *testing.T) {
	for _, c := range []struct {
		fields []string
		want   Directives
	}{
		{nil, Directives{}},
		{[]string{"noindex"}, Directives{NoIndex: true}},
		{[]string{"noindex", "nofollow"}, Directives{true, true}},
		{[]string{"otherbot: noindex"}, Directives{}},
		{[]string{"GateCrawl: noindex"}, Directives{NoIndex: true}},
		{[]string{"gatecrawl: noindex, nofollow"}, Directives{true, true}},
		{[]string{"otherbot: noindex, nofollow, gatecrawl: nofollow"}, Directives{NoFollow: true}},
		{[]string{"otherbot: noindex", "nofollow"}, Directives{NoFollow: true}},
		{[]string{"unavailable_after: 25 Jun 2010 15:00:00 GMT"}, Directives{NoIndex: true}},
		{[]string{"otherbot: unavailable_after: 25 Jun 2010 15:00:00 GMT"}, Directives{}},
		{[]string{"gatecrawl: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow"}, Directives{true, true}},
		{[]string{"M12bot: noindex, nofollow"}, Directives{}},
		{[]string{"max-snippet: 5, noindex"}, Directives{NoIndex: true}},
	} {
		if got := ParseTag(http.Header{"X-Robots-Tag": c.fields}, token, someDay); got != c.want {
			t.Errorf("ParseTag(%q) = %+v, want %+v", c.fields, got, c.want)
		}
	}
}

func FuzzTag(f *testing.F) {
	f.Add("gatecrawl: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow")
	f.Add("UNAVAILABLE_AFTER:,:none")
	f.Fuzz(func(t *testing.T, field string) {
		all := ParseDirectives(field, someDay)
		ours := ParseTag(http.Header{"X-Robots-Tag": {field}}, token, someDay)
		twice := ParseTag(http.Header{"X-Robots-Tag": {field, field}}, token, someDay)
		if ours != twice {
			t.Errorf("%q: %+v, and sent twice %+v", field, ours, twice)
		}
		if prefixed := ParseTag(http.Header{"X-Robots-Tag": {"no such bot: " + field}}, token, someDay); prefixed.NoIndex && !ours.NoIndex && !all.NoIndex {
			t.Errorf("%q asks for noindex only behind another's name", field)
		}
	})
}

package inspect

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/mirror"
)

// starOf returns the pairs of a site and so many mirrors of it.
func starOf(members int) mirror.Report {
	var ps []mirror.Pair
	for i := range members {
		r := mirror.Relation{
			A: "http://<main>.test", B: fmt.Sprintf("http://m%d.test", i), Class: mirror.Mirror, Canonical: "http://<main>.test", Why: "its name & paths",
			Maps: []mirror.Mapping{{From: "/", To: "/pub/"}}, AB: mirror.Interval{Share: .9, N: 40}, BA: mirror.Interval{Share: 1, N: 40},
		}
		if i%3 == 1 {
			r.Class, r.Canonical = mirror.NearVersion, ""
		}
		ps = append(ps, mirror.Pair{A: "<main>.test", B: fmt.Sprintf("m%d.test", i), Shared: 10, PagesA: 100, PagesB: 90, Relation: &r})
	}
	return mirror.Gather(append(ps, mirror.Pair{A: "x.test", B: "y.test", Shared: 1, PagesA: 4, PagesB: 3, Overlap: .33, By: mirror.ByCopies}))
}

func TestEveryFormatHasEveryPair(t *testing.T) {
	ps := starOf(7)
	for name, write := range Writers {
		var b bytes.Buffer
		if err := write(&b, ps); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i := range 7 {
			if !strings.Contains(b.String(), fmt.Sprintf("m%d.test", i)) {
				t.Errorf("%s does not name m%d.test", name, i)
			}
		}
	}
	var b bytes.Buffer
	if err := writeCSV(&b, ps); err != nil {
		t.Fatal(err)
	}
	if rows, err := csv.NewReader(&b).ReadAll(); err != nil || len(rows) != 7+2 {
		t.Errorf("csv has %d rows, %v; want %d", len(rows), err, 7+2)
	}
}

func TestTheTableSaysWhyAMirrorWasFetched(t *testing.T) {
	const then = "; crawl mirrors explain http://a.test http://b.test shows more, and --exclude '^http://b\\.test/' leaves the site out in later runs\n"
	for _, c := range []struct {
		pair mirror.Pair
		want string
	}{
		{mirror.Pair{Relation: &mirror.Relation{Unequal: 2, UnequalAt: "http://b.test/x"}},
			"  http://b.test was fetched too: of sites of two owners one is left out only if each document looked up has the same bytes or the same text, and 2 have not, such as http://b.test/x" + then},
		{mirror.Pair{Relation: &mirror.Relation{}, Twins: []*mirror.Twin{{Origin: "http://b.test", To: "http://a.test", Checked: 17, Missed: 1, GivenUp: true}}},
			"  http://b.test was fetched too: http://a.test was, until it was given up, requested in place of http://b.test: of 17 pages fetched from both 1 differ" + then},
		{mirror.Pair{Deferred: 30, Relation: &mirror.Relation{Unequal: 2}}, ""},
		{mirror.Pair{Deferred: 30, Relation: &mirror.Relation{}, Twins: []*mirror.Twin{{Origin: "http://b.test", To: "http://c.test", GivenUp: true}}}, ""},
		{mirror.Pair{Relation: &mirror.Relation{}, Twins: []*mirror.Twin{{Origin: "http://b.test", To: "http://c.test", Checked: 17, Missed: 1, GivenUp: true}}},
			"  http://b.test was fetched too: http://c.test was, until it was given up, requested in place of http://b.test: of 17 pages fetched from both 1 differ" + then},
		{mirror.Pair{Relation: &mirror.Relation{}, Twins: []*mirror.Twin{{Origin: "http://b.test", To: "http://a.test", Checked: 9}}},
			"  http://b.test was fetched too: http://a.test is requested in place of http://b.test: of 9 pages fetched from both 0 differ, and none of its URLs is left out" + then},
		{mirror.Pair{Relation: &mirror.Relation{BA: mirror.Interval{N: 200}}},
			"  http://b.test was fetched too: it was not known to be a copy while it was fetched; by 200 documents looked up now it is one (mirror)" + then},
	} {
		r := c.pair.Relation
		r.A, r.B, r.Class, r.Canonical = "http://a.test", "http://b.test", mirror.Mirror, "http://a.test"
		c.pair.A, c.pair.B = "a.test", "b.test"
		var b strings.Builder
		if err := writeTable(&b, mirror.Gather([]mirror.Pair{c.pair}), whyFetched); err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(b.String(), "  mirror ")
		if _, got, _ = strings.Cut(got, "\n"); got != c.want+"\n" {
			t.Errorf("below a member with %+v the table has %q, want %q", r, got, c.want)
		}
	}
}

func TestALineOfJSONKeepsTheOldNames(t *testing.T) {
	var b bytes.Buffer
	if err := WriteLines(&b, starOf(1)); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		pair := got
		if members, ok := got["members"].([]any); ok {
			pair = members[0].(map[string]any)
		}
		for _, key := range []string{"a", "b", "shared", "pages_a", "pages_b", "overlap"} {
			if _, ok := pair[key]; !ok {
				t.Errorf("%s lacks %q", strings.TrimSpace(line), key)
			}
		}
	}
}

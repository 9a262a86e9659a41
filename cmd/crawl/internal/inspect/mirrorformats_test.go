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

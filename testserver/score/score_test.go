package score

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// small is a truth written by hand: a, b and c have the same bytes, d is a light edit of
// them, e a heavy edit that resembles d too little, and f and g have no copies.
var small = Truth{
	Pages: []Page{
		{URL: "a", Kind: KindPage, Group: 1, Bytes: 1, Text: 1, Layout: 1},
		{URL: "b", Kind: KindPage, Group: 1, Bytes: 1, Text: 1, Layout: 1},
		{URL: "c", Kind: KindPage, Group: 1, Bytes: 1, Text: 1, Layout: 1},
		{URL: "d", Kind: KindPage, Group: 1, Bytes: 2, Text: 2, Layout: 2},
		{URL: "e", Kind: KindPage, Group: 1, Bytes: 3, Text: 3, Layout: 1},
		{URL: "f", Kind: KindPage, Group: 2, Bytes: 4, Text: 4, Layout: 1},
		{URL: "g", Kind: KindHub, Group: 3, Bytes: 5, Text: 5, Layout: 1},
		{URL: "no", Kind: KindForbidden, Status: 200},
		{URL: "gone", Kind: KindDead, Status: 404},
		{URL: "m", Kind: KindPage, Group: 4, Bytes: 6, Text: 6, Folder: true},
		{URL: "n", Kind: KindPage, Group: 5, Bytes: 7, Text: 7, Folder: true},
		{URL: "m2", Kind: KindPage, Group: 4, Bytes: 6, Text: 6, Folder: true, Optional: true},
	},
	Pairs: []Pair{{1, 2, .95}, {1, 3, .85}, {2, 3, .75}},
}

// said turns "a b=a:3" into records: b is a copy of a, says level 3.
func said(s string) []Record {
	var records []Record
	for _, f := range strings.Fields(s) {
		url, of, copied := strings.Cut(f, "=")
		r := Record{URL: url, Copy: copied}
		if copied {
			of, level, _ := strings.Cut(of, ":")
			r.Of = of
			for _, c := range level {
				r.Level = int(c - '0')
			}
		}
		records = append(records, r)
	}
	return records
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		name, said  string
		exact, near Tally
		lost        int
	}{
		{"perfect", "a b=a:3 c=a:3 d=a:5 e=a:5 f g", Tally{2, 2, 2, 2}, Tally{2, 2, 2, 2}, 0},
		{"no verdicts", "a b c d e f g", Tally{0, 0, 2, 0}, Tally{0, 0, 2, 0}, 0},
		{"nothing crawled", "", Tally{}, Tally{}, 0},
		{"all wrong", "a b=f:3 c=f:3 d=f:5 e=f:5 f g=f:5", Tally{2, 0, 2, 0}, Tally{3, 0, 2, 0}, 1},
		{"everything a copy of the first page", "f a=f:5 b=f:5 c=f:5 d=f:5 e=f:5 g=f:5", Tally{0, 0, 2, 0}, Tally{6, 0, 2, 0}, 2},
		{"any member may be the kept page", "d a=d:5 b=d:5 c=d:5", Tally{}, Tally{3, 3, 3, 3}, 0},
		{"not similar enough to be expected", "d e", Tally{}, Tally{}, 0},
		{"not similar enough, and found", "d e=d:5", Tally{}, Tally{1, 1, 0, 0}, 0},
		{"a near copy of a page that is itself a copy", "a b=a:3 d=b:5", Tally{1, 1, 1, 1}, Tally{1, 0, 1, 0}, 0},
		{"two pages discarded for each other", "a=b:3 b=a:3", Tally{2, 0, 1, 0}, Tally{}, 1},
		{"a copy of itself", "a=a:3", Tally{1, 0, 0, 0}, Tally{}, 1},
		{"a copy of a page never fetched", "b=a:3", Tally{1, 0, 0, 0}, Tally{}, 1},
		{"a copy of a page that is unknown", "b=zzz:3", Tally{1, 0, 0, 0}, Tally{}, 0},
		{"an unknown page as a copy", "a zzz=a:5", Tally{}, Tally{1, 0, 0, 0}, 0},
		{"a dead link as a copy", "a gone=a:5", Tally{}, Tally{1, 0, 0, 0}, 0},
		{"equal bytes claimed of edited ones", "a d=a:3", Tally{1, 0, 0, 0}, Tally{0, 0, 1, 0}, 0},
		{"equal bytes found by another level", "a b=a:5", Tally{0, 0, 1, 1}, Tally{1, 1, 0, 0}, 0},
		{"no level said", "a b=a d=a f=a", Tally{1, 1, 1, 1}, Tally{2, 1, 1, 1}, 1},
		{"the second record of a URL does not count", "a b=a:3 b=f:3 b=a:3", Tally{1, 1, 1, 1}, Tally{}, 0},
		{"copies that have an earlier place than the page that is kept", "b=a:3 d=a:5 a c=a:3", Tally{2, 2, 2, 2}, Tally{1, 1, 1, 1}, 0},
		{"two files of a folder", "m n=m:5 m2=m:3", Tally{1, 1, 1, 1}, Tally{}, 0},
	} {
		r := small.Score(said(c.said))
		if r.Exact != c.exact || r.Near != c.near || r.Lost != c.lost {
			t.Errorf("%s: Score(%q) = exact %v, near %v, lost %d; want %v, %v, %d", c.name, c.said, r.Exact, r.Near, r.Lost, c.exact, c.near, c.lost)
		}
	}
}

func TestScoreCountsWhatWasFetched(t *testing.T) {
	r := small.Score(said("a a b=a:3 no f far1 far2 gone gone n=m:5 m"))
	if r.Reachable != 9 || r.Fetched != 5 || !slices.Equal(r.Missed, []string{"c", "d", "e", "g"}) {
		t.Errorf("reachable %d, fetched %d, missed %v", r.Reachable, r.Fetched, r.Missed)
	}
	if !slices.Equal(r.Forbidden, []string{"no"}) || !slices.Equal(r.Twice, []string{"a", "gone"}) || r.Beyond != 2 || r.Unjudged != 1 {
		t.Errorf("forbidden %v, twice %v, beyond %d, unjudged %d", r.Forbidden, r.Twice, r.Beyond, r.Unjudged)
	}
}

func TestScoreComparesClasses(t *testing.T) {
	r := small.Score([]Record{
		{URL: "a"},
		{URL: "b", Copy: true, Of: "a", Level: 3, Class: FullLayout},
		{URL: "d", Copy: true, Of: "a", Level: 5, Class: PartialContent},
		{URL: "e", Copy: true, Of: "a", Level: 5, Class: PartialContent},
	})
	if r.Classed != 3 || r.ClassRight != 2 {
		t.Errorf("classed %d, right %d; want 3 and 2", r.Classed, r.ClassRight)
	}
	want := map[Class]Named{PartialContent: {1, 1}, PartialLayout: {1, 0}} // b has the kept page's bytes
	if !maps.Equal(r.Named, want) {
		t.Errorf("by class %v, want %v", r.Named, want)
	}
}

func TestPrecisionAndRecallOfNothingAreOne(t *testing.T) {
	if p, r := (Tally{}).Precision(), (Tally{}).Recall(); p != 1 || r != 1 {
		t.Errorf("precision %v, recall %v", p, r)
	}
}

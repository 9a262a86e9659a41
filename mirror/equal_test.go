package mirror_test

import (
	"fmt"
	"testing"

	"gatecrawl.example/gatecrawl/mirror"
)

// A manual in two versions, most of whose pages are copies of each other, is on two hosts. What was sampled of one host is
// of one version and of the other host of the other: that is no mapping between versions, but a mirror.
func TestAMirrorOfAManualInVersionsIsAMirror(t *testing.T) {
	origins := [2]string{"http://a.test", "http://b.test"}
	lib := &shelf{docs: make(map[string]mirror.Document), known: func(string) bool { return true }}
	var sites [2]*mirror.Sampled
	for i, origin := range origins {
		sites[i] = &mirror.Sampled{Origin: origin, Documents: 120, Named: uint64(1 + i), Met: uint64(1 + i)}
		for version := 1; version <= 2; version++ {
			for k := range 60 {
				id := uint64(k + 1)
				if k%4 == 0 {
					id += 1000 * uint64(version) // changed between the versions
				}
				d := mirror.Document{Path: fmt.Sprintf("/%d/p/%d.html", version, k), Group: id, SimHash: id * 0x9e3779b97f4a7c15, Tokens: 100, Bytes: 1000*uint64(version) + id}
				lib.docs[origin+d.Path] = d
				if version == 1+i {
					sites[i].Sample = append(sites[i].Sample, d)
				}
			}
		}
	}
	rel, err := mirror.Compare(t.Context(), mirror.DefaultOptions(), lib, sites[0], sites[1])
	if err != nil {
		t.Fatal(err)
	}
	if twin, ok := mirror.TwinOf(&rel); !ok || rel.Class != mirror.Mirror || twin.To != origins[0] {
		t.Errorf("%s, maps %v, overlap %v: twin %+v, %v; want a mirror of %s", rel.Class, rel.Maps, rel.AB, twin, ok, origins[0])
	}
}

func TestDocumentsAreEqualWhateverTheirGroups(t *testing.T) {
	same := mirror.Document{Path: "/tag", Group: 1, Body: 7, Title: 3}
	with := func(change func(*mirror.Document)) mirror.Document {
		d := same
		change(&d)
		return d
	}
	for _, c := range []struct {
		name string
		a, b mirror.Document
		want bool
	}{
		{"copies of two pages, with one body", same, with(func(d *mirror.Document) { d.Group = 2 }), true},
		{"copies of two pages under two titles", same, with(func(d *mirror.Document) { d.Group, d.Title = 2, 4 }), false},
		{"two kept pages", with(func(d *mirror.Document) { d.Kept = true }), with(func(d *mirror.Document) { d.Group, d.Kept = 2, true }), false},
		{"two kept pages that differ in the name of their hosts", with(func(d *mirror.Document) { d.Kept, d.Hostless = true, 9 }), with(func(d *mirror.Document) { d.Group, d.Kept, d.Body, d.Hostless = 2, true, 8, 9 }), true},
		{"two bodies with the lines of one, under one title", with(func(d *mirror.Document) { d.Lines = 5 }), with(func(d *mirror.Document) { d.Group, d.Body, d.Lines = 2, 8, 5 }), true},
		{"the same under two titles", with(func(d *mirror.Document) { d.Lines = 5 }), with(func(d *mirror.Document) { d.Group, d.Body, d.Lines, d.Title = 2, 8, 5, 4 }), false},
		{"other lines", with(func(d *mirror.Document) { d.Lines = 5 }), with(func(d *mirror.Document) { d.Body, d.Lines = 8, 6 }), false},
		{"copies in the words of a former kept page", with(func(d *mirror.Document) { d.Text = 9 }), with(func(d *mirror.Document) { d.Group, d.Body, d.Text = 2, 8, 9 }), true},
		{"copies in words of their own", with(func(d *mirror.Document) { d.Text = 9 }), with(func(d *mirror.Document) { d.Body, d.Text = 8, 10 }), false},
		{"two bodies", same, with(func(d *mirror.Document) { d.Body = 8 }), false},
	} {
		if got := mirror.Equal(c.a, c.b); got != c.want {
			t.Errorf("%s: equal is %v, want %v", c.name, got, c.want)
		}
	}
}

// compareCopies compares two sites of so many documents, of which the second one's are copies of the first one's, but for what change makes of
// the k-th document of a site, 0 or 1.
func compareCopies(t *testing.T, documents int, change func(site, k int, d *mirror.Document)) mirror.Relation {
	t.Helper()
	return compareOn(t, &shelf{}, documents, change)
}

// compareOn is compareCopies with a shelf, which gets the documents.
func compareOn(t *testing.T, lib *shelf, documents int, change func(site, k int, d *mirror.Document)) mirror.Relation {
	t.Helper()
	lib.docs, lib.known = make(map[string]mirror.Document), func(string) bool { return true }
	var sites [2]*mirror.Sampled
	for i, origin := range []string{"http://a.test", "http://b.test"} {
		sites[i] = &mirror.Sampled{Origin: origin, Documents: documents, Named: uint64(1 + i), Met: uint64(1 + i)}
		for k := range documents {
			id := uint64(k + 1)
			d := mirror.Document{Path: fmt.Sprintf("/p/%d.html", k), Group: id, SimHash: id * 0x9e3779b97f4a7c15, Tokens: 100, Bytes: id, Text: id, Kept: i == 0}
			change(i, k, &d)
			lib.docs[origin+d.Path] = d
			sites[i].Sample = append(sites[i].Sample, d)
		}
	}
	rel, err := mirror.Compare(t.Context(), mirror.DefaultOptions(), lib, sites[0], sites[1])
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

// Two releases of a page may be near copies, and another site's two are near copies of the first of these: of the second ones nothing is kept to
// compare them by, and they do not tell the sites apart. A near copy of a page of the other site does.
func TestNearCopiesOfAThirdPageSayNothing(t *testing.T) {
	for _, c := range []struct{ third, says bool }{{true, false}, {true, true}, {false, false}} {
		rel := compareCopies(t, 60, func(site, k int, d *mirror.Document) {
			if k == 7 && (c.third || site == 1) {
				d.Bytes, d.Text, d.Body, d.Group, d.Kept = 100+uint64(site), 100+uint64(site), 200+uint64(site), 8, false
			}
			if k == 7 && c.says && site == 0 {
				d.Text = 8 // in the words of the third page
			}
		})
		if _, ok := mirror.TwinOf(&rel); ok != c.third {
			t.Errorf("two sites with near copies at one path, both of a third page: %v; one is left out for the other: %v, unequal %d", c.third, ok, rel.Unequal)
		}
	}
}

// Pages that were read before their sites had templates are no evidence: 26 others, all equal, are enough, and a few that differ like that
// are not needed.
func TestEarlyPagesSayNothing(t *testing.T) {
	for _, early := range []bool{true, false} {
		rel := compareCopies(t, 32, func(site, k int, d *mirror.Document) {
			if k < 6 && site == 1 { // a near copy
				d.Bytes, d.Text, d.Body, d.Early = 101+uint64(k), 101+uint64(k), 201+uint64(k), early
			}
		})
		if twin, ok := mirror.TwinOf(&rel); ok != early {
			t.Errorf("26 equal pages, and 6 near copies that were read early (%v): one is left out for the other: %v (%+v)", early, ok, twin.Share)
		}
	}
}

// The gate may keep both of two brief pages in two layouts, of which the frame is most. If their texts say the same they are equal, and if the first
// pair does not, no other is read.
func TestKeptPagesThatSayTheSameAreEqual(t *testing.T) {
	for _, says := range []bool{true, false} {
		lib := &shelf{says: says}
		rel := compareOn(t, lib, 60, func(site, k int, d *mirror.Document) {
			if k < 5 && site == 1 {
				id := uint64(101 + k)
				d.Bytes, d.Text, d.Body, d.Group, d.SimHash, d.Kept = id, id, 100+id, id, id*0x9e3779b97f4a7c15, true
			}
		})
		want := 1
		if says {
			want = 5
		}
		if _, ok := mirror.TwinOf(&rel); ok != says || lib.compared != want {
			t.Errorf("5 of 60 pages are kept on both sites and say the same (%v): one is left out for the other: %v, unequal %d; %d pairs read, want %d", says, ok, rel.Unequal, lib.compared, want)
		}
	}
}

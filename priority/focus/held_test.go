package focus_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/priority/focus"
)

// A refused page is released once it is rated on the topic by what was learned since, also by a judge that was saved in between.
func TestAHeldPageIsReleasedByALaterModel(t *testing.T) {
	j, err := focus.New("heron", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	late := focus.Doc{URL: "http://a.example/late", Body: strings.Repeat("a wader of the marsh with a nest and feathers ", 6)}
	off := focus.Doc{URL: "http://a.example/off", Body: strings.Repeat("the train leaves the station at noon ", 6)}
	for _, d := range []focus.Doc{late, off} {
		r := j.Rate(d)
		if r.Relevance >= .5 {
			t.Fatalf("%s has the relevance %.2f before anything is learned", d.URL, r.Relevance)
		}
		j.Hold(r)
		j.Hold(r)
	}
	if urls := j.Released(.5); len(urls) != 0 {
		t.Fatalf("%q were released by the same judge", urls)
	}
	before := j.Fingerprint()
	for i := range 60 {
		body := fmt.Sprintf("a heron is a wader%d of the marsh; the wader has a nest in the marsh, and feathers hue%d ", i, i)
		if i%2 == 1 {
			body = fmt.Sprintf("the train%d leaves the station at noon, and the station has a clock hue%d ", i, i)
		}
		d := focus.Doc{URL: fmt.Sprintf("http://a.example/%d", i), Body: strings.Repeat(body, 4)}
		j.Learn(j.Rate(d), uint64(i+1), false)
	}
	if j.Fingerprint() == before {
		t.Error("the fingerprint is the same after 60 pages")
	}
	var saved bytes.Buffer
	if err := j.Save(&saved); err != nil {
		t.Fatal(err)
	}
	again, err := focus.Load(&saved)
	if err != nil {
		t.Fatal(err)
	}
	if again.Fingerprint() != j.Fingerprint() {
		t.Error("a saved judge has another fingerprint, so that all pages would be rated again")
	}
	for name, j := range map[string]*focus.Judge{"the judge": j, "as it was saved": again} {
		if got := j.Released(.5); !slices.Equal(got, []string{late.URL}) {
			t.Errorf("%s released %q, want %s (relevance %.2f)", name, got, late.URL, j.Rate(late).Relevance)
		}
		if got := j.Released(.5); len(got) != 0 {
			t.Errorf("%s released %q a second time", name, got)
		}
	}
}

// The most relevant are held.
func TestHeldPagesAreBounded(t *testing.T) {
	j, err := focus.New("heron", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	const more = 2500
	for i := range more {
		j.Hold(focus.Rating{Relevance: float64(i%more) / more, Query: 0})
	}
	if n := len(j.Released(0)); n > 2000 {
		t.Errorf("%d pages were held", n)
	}
}

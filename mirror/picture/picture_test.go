package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
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

func TestPicturesOfMirrorsAreSound(t *testing.T) {
	for _, members := range []int{0, 1, 5, 29, 30, 60, 300} {
		ps := starOf(members)
		var svg, doc, dot bytes.Buffer
		if err := errors.Join(SVG(&svg, ps), HTML(&doc, ps), DOT(&dot, ps)); err != nil {
			t.Fatalf("%d mirrors: %v", members, err)
		}
		arrows, drawn := strings.Contains(svg.String(), "arrow:"), strings.Contains(svg.String(), "marker-end")
		if arrows != drawn || drawn != (members > 0 && members < maxGraph) {
			t.Errorf("the legend of %d mirrors names arrows: %v; they are drawn: %v", members, arrows, drawn)
		}
		dec := xml.NewDecoder(&svg)
		for {
			_, err := dec.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("svg of %d mirrors: %v", members, err)
			}
		}
		for _, bad := range []string{"<main>.test", "<script", "<link", " src="} {
			if strings.Contains(doc.String(), bad) {
				t.Errorf("the page of %d mirrors has %q", members, bad)
			}
		}
		if members > 0 && !strings.Contains(doc.String(), "&lt;main&gt;.test") {
			t.Errorf("the page of %d mirrors does not name the site", members)
		}
		if got := strings.Count(dot.String(), " -> "); got != members {
			t.Errorf("the graph of %d mirrors has %d edges", members, got)
		}
	}
}

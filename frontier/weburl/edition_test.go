package weburl_test

import (
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func TestAURLIsCutIntoItsPlaceAndItsVersions(t *testing.T) {
	for url, want := range map[string][2]string{
		"http://a.example/kites/1.6/sail.html":       {"kites/*/sail.html?", "1.6/"},
		"http://a.example/kites/v2/sail.html?x=1#y":  {"kites/*/sail.html?x=1", "v2/"},
		"http://a.example/latest/api/index.html":     {"*/api/?", "latest/"},
		"http://a.example/3.x/":                      {"*/?", "3.x/"},
		"http://a.example/release-2.0.1/api/v3/sail": {"*/api/*/sail?", "release-2.0.1/v3/"},
		"http://a.example/2.0.0-beta.1/sail":         {"*/sail?", "2.0.0-beta.1/"},
		"http://a.example/kites/sail.html":           {},
		"http://a.example/kites/1.6":                 {}, // a page of that name, such as notes of a release
		"http://a.example/page/2/":                   {},
		"http://a.example/2016.07/sail.html":         {},
		"http://a.example/2016/07/sail.html":         {},
		"http://a.example/vase/sail.html":            {},
		"http://a.example/version/sail.html":         {},
		"http://a.example":                           {},
		"sail.html":                                  {},
	} {
		if place, versions := weburl.CutVersions(url); place != want[0] || versions != want[1] {
			t.Errorf("CutVersions(%q) = %q, %q, want %q", url, place, versions, want)
		}
	}
}

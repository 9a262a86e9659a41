package page

import (
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
)

func TestLinksAreRelativeToTheBaseOfAPage(t *testing.T) {
	of, err := weburl.Parse("http://a.example/docs/page")
	if err != nil {
		t.Fatal(err)
	}
	for base, want := range map[string]string{
		"":                     "http://a.example/docs/page",
		"other/":               "http://a.example/docs/other/",
		"/":                    "http://a.example/",
		"http://b.example/c/d": "http://b.example/c/d",
		"http://[x/":           "http://a.example/docs/page",
		"javascript:void(0)":   "http://a.example/docs/page",
	} {
		if got := Base(of, &purify.DocView{Base: base}); got.String() != want {
			t.Errorf("Base with <base href=%q> = %s, want %s", base, got, want)
		}
	}
}

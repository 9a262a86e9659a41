package page

import (
	"reflect"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

func TestABriefViewHasAllButLinksAndBlocks(t *testing.T) {
	for _, page := range []string{
		"",
		"<title>Bees \\ \"and\" {hives} [x]</title><p>A \\\"hive\\ does: not, sleep.<a href='/x?a=\"b\"'>link \\</a>",
		"<meta property=article:section content='A,B'><article><h1>One</h1><p>Two two two two.<p>Three<time datetime=2024-01-02>x</time></article>",
	} {
		view := purify.Purify([]byte(page), "text/html")
		view.Fields = purify.Fields{{Name: "links", Values: []string{"}", `"`}}}
		packed, err := PackView(view)
		if err != nil {
			t.Fatal(err)
		}
		want, err := UnpackView(packed)
		if err != nil {
			t.Fatal(err)
		}
		want.Links, want.Blocks, want.Targets = nil, nil, nil
		got, err := UnpackBrief(packed)
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", page, got, want)
		}
	}
}

func TestABriefViewOfSomethingElseIsAnError(t *testing.T) {
	for _, b := range []string{"", "{", `{"a`, `{"a":`, `{"a":"b`, `{"links":[`, `[]`, `{"body":{}}`} {
		if v, err := UnpackBrief(PackBody([]byte(b))); err == nil {
			t.Errorf("UnpackBrief of %q = %+v, want an error", b, v)
		}
	}
}

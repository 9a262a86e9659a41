package letter

import (
	"reflect"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
)

func TestALetterIsReadAsItWasWritten(t *testing.T) {
	u, err := weburl.Parse("http://a.example/x?y=1")
	if err != nil {
		t.Fatal(err)
	}
	verdict := dedup.Verdict{Of: 1 << 40, Level: dedup.LevelNear, Class: dedup.PartialLayout, Distance: 3, Similarity: .9}
	sig := dedup.SignText("some words that make a body")
	stub := (&dedup.Text{Body: "some words that make a body"}).Stub()
	for _, want := range []*Letter{
		{Kind: Links, Links: []*frontier.Candidate{
			{
				URL: u, From: u.Key(), Anchor: "words", Label: "news", Kind: frontier.PageLink, Root: "http://a.example/",
				Signals:  priority.Signals{Seed: 1, Depth: 2, Links: 3, Sum: 4, Relevance: .5, Anchor: .6, Siblings: .7, Cash: 8, Degree: 9, Copy: true, Inlinks: 10},
				Trap:     frontier.Trail{Calendar: 1, Redirects: 2},
				Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			},
			{URL: u, Refused: frontier.Refusal{Rule: "depth", Detail: "9 links from a seed"}},
		}},
		{Kind: Size, Page: 1 << 40, Size: group.Size{Degree: 2, Copies: 3}},
		{Kind: Grant, Share: .25, Degree: 7, Keys: []weburl.Key{u.Key()}},
		{Kind: Retired, Page: 1 << 40, Other: 5},
		{Kind: Claim, Page: 7, Sign: sig},
		{Kind: Revised, Page: 7, Sign: sig}, // as earlier versions wrote it
		{Kind: Revised, Page: 7, Sign: sig, Stub: &stub},
		{Kind: Alias, Digest: sig.Body, Verdict: verdict},
		{Kind: Copy, Page: 9, Verdict: verdict},
		{Kind: Join, Page: 9, Verdict: verdict},
	} {
		b := want.Encode()
		got, err := Decode(b)
		if err != nil {
			t.Fatalf("kind %d: %v", want.Kind, err)
		}
		for _, c := range got.Links {
			c.Modified = c.Modified.UTC()
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("kind %d: read %+v, want %+v", want.Kind, got, want)
		}
		for n := range b {
			if got, err := Decode(b[:n]); err == nil && reflect.DeepEqual(got, want) {
				t.Errorf("kind %d, cut to %d of %d bytes: no error", want.Kind, n, len(b))
			}
		}
	}
	if _, err := Decode([]byte{200}); err == nil {
		t.Error("a kind that nobody knows is read")
	}
}

package purify

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatecrawl.example/gatecrawl/purify/charset"
)

// TestOrdersOfAPageAreThoseOfItsText compares ReadOrders with a reading of the whole text, on drawn heads whose parts end
// anywhere.
func TestOrdersOfAPageAreThoseOfItsText(t *testing.T) {
	pieces := []string{
		"<!DOCTYPE html>", "<?xml version='1.0'?>", "<html>", "<head>", "</head>", "<title>", "</title>", "<script>", "</script>", "<!--", "-->", "<![CDATA[", "]]>",
		"<body>", "<BODY class=x>", "<body", ">", "</body>", "<meta name=robots content=noindex>", "<meta name=\"robots <body> \" content=a>", "'", "\"",
		"<link rel=alternate hreflang=de href=/de>", "<link rel=alternate type=application/rss+xml href=/feed>", "x", "é", "日", "\x1b$B", "\x00", " ", "\ufeff",
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 2))
	found, quick := 0, 0
	for range 30_000 {
		var b strings.Builder
		for range 2 + r.IntN(14) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		page := []byte(b.String())
		text, ok := charset.DecodeValid(page)
		if !ok {
			t.Fatalf("%q is not UTF-8", page)
		}
		agents := []string{"gatecrawl"}
		want, _ := ordersIn(text, "text/html", agents, false)
		if diff := cmp.Diff(want, ReadOrders(page, "text/html", agents...)); diff != "" {
			t.Fatalf("seed %d: ReadOrders(%q): -want +got\n%s", seed, page, diff)
		}
		if len(want.Robots)+len(want.Alternates)+len(want.Feeds) > 0 {
			found++
			if _, ok := ordersIn(page, "text/html", agents, true); ok {
				quick++
			}
		}
	}
	if found < 1000 || quick < 100 {
		t.Errorf("%d of the pages have orders, %d of these are read without their text, so this tests little", found, quick)
	}
}

func TestOrdersInAHeadOfASCIIAreReadInAnyCharset(t *testing.T) {
	const head = "<html><head><meta name=robots content=noindex><link rel=alternate type=application/rss+xml href=/feed></head><body>"
	want := Orders{Robots: []string{"noindex"}, Feeds: []string{"/feed"}}
	for _, rest := range []string{"\xc7\xe9\xe0", "\x83\x65\x83\x58\x83\x67", "\x1b$B%F%9%H\x1b(B", "\xe9t\xe9 \xff\xfe"} {
		if diff := cmp.Diff(want, ReadOrders([]byte(head+rest), "text/html", "gatecrawl")); diff != "" {
			t.Errorf("before %q: -want +got\n%s", rest, diff)
		}
	}
}

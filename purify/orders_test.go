package purify

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatecrawl.example/gatecrawl/purify/charset"
)

// TestOrdersOfAPageAreThoseOfItsText compares ReadOrders with a reading of the decoded text, on drawn heads whose parts end
// anywhere.
func TestOrdersOfAPageAreThoseOfItsText(t *testing.T) {
	pieces := []string{
		"<!DOCTYPE html>", "<?xml version='1.0'?>", "<html>", "<head>", "</head>", "<title>", "</title>", "<script>", "</script>", "<!--", "-->", "<![CDATA[", "]]>",
		"<body>", "<BODY class=x>", "<body", ">", "</body>", "<meta name=robots content=noindex>", "<meta name=\"robots <body> \" content=a>", "'", "\"",
		"<link rel=alternate hreflang=de href=/de>", "<link rel=alternate type=application/rss+xml href=/feed>", "<meta charset=shift_jis>", "<meta charset=iso-2022-jp>",
		"x", "é", "日", "\x1b$B<\"\x1b(B", "\x1b$B", "\x00", " ", "\ufeff", "\xe9", "\x83\x5c\x83\x65", "\xc4\xe3\xba\xc3",
	}
	agents := []string{"gatecrawl"}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 2))
	found, other := 0, 0
	for range 30_000 {
		var b strings.Builder
		for range 2 + r.IntN(14) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		page := []byte(b.String())
		text, valid := charset.DecodeValid(page)
		if !valid {
			other++
			text, _ = charset.Decode(page, "text/html")
		}
		var want Orders
		if valid || mayOrder(page, agents) {
			want, _ = ordersIn(text, "text/html", agents)
		}
		if diff := cmp.Diff(want, ReadOrders(page, "text/html", agents...)); diff != "" {
			t.Fatalf("seed %d: ReadOrders(%q): -want +got\n%s", seed, page, diff)
		}
		if !want.isEmpty() {
			found++
		}
	}
	if found < 1000 || other < 1000 {
		t.Errorf("%d of the pages have orders, %d are not in UTF-8, so this tests little", found, other)
	}
}

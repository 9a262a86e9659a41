package metadata

import (
	"reflect"
	"testing"
)

// FuzzAHeadIsReadWithoutATreeAsWithOne compares the two ways of reading a head.
func FuzzAHeadIsReadWithoutATreeAsWithOne(f *testing.F) {
	for _, head := range []string{
		`<html lang=" de"><title>A &amp; b</title><meta name=description content="x"><link rel=canonical href=/a><base href=/>`,
		`<meta property=og:title content=a content=b><title>one</title><script type=application/ld+json>{"headline":"<!--&amp;"}</script>`,
		`<html><html lang=en><title/>x</title><title>y`, `<html lang=a/><meta name=author content='a&lt;b'/>` + "\r\n" + `<meta http-equiv=refresh content="5; url=/x">`,
		`<title>a<b>c</b></title>`, `<title>a</title><p>text<title>b</title><meta name=robots content=none>`, `x<meta name=robots content=none>`,
		`<script type=ld+json><!--<script>{"headline":"a"}</script>--></script><title>t</title>`, `<!-- c --><title>t</title>`, `</head><title>t</title>`,
		"<title>\n\x00a\r\nb</title>", `<meta name=date content=2024-05-06`, `<meta name="date" content="2024-05-06"><body><title>t</title>`, `<svg><title>t</title></svg>`,
	} {
		f.Add([]byte(head))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		got, ok := readTokens(head)
		if want := readTree(head); ok && !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %+v, want %+v", head, got, want)
		}
	})
}

func TestAHeadOfMetadataNeedsNoTree(t *testing.T) {
	m, ok := readTokens([]byte(`<html lang=de><meta charset=utf-8><title>A</title><link rel=canonical href=/a><script type="application/ld+json">{"headline":"B"}</script>`))
	if !ok || m.Lang != "de" || m.Title != "A" || m.Canonical != "/a" || m.Headline != "B" {
		t.Errorf("readTokens = %+v, %v", m, ok)
	}
}

// TestARefreshIsReadAsBrowsersReadIt: most were tried in Chromium 156, with the header Refresh.
func TestARefreshIsReadAsBrowsersReadIt(t *testing.T) {
	for _, c := range []struct {
		content, target string
		atOnce          bool
	}{
		{"0;url=/x", "/x", true}, {"0 url=/x", "/x", true}, {"0 /x", "/x", true}, {"0,url=/x", "/x", true}, {"0; /x", "/x", true},
		{" 0 ;\turl='/x", "/x", true}, {"0;URL = '/x'", "/x", true}, {"0;url=\"/x\"junk", "/x", true}, {"0;'/x'", "/x", true},
		{"0;;url=/x", ";url=/x", true}, {"0;,url=/x", ",url=/x", true}, {"0;u=/x", "u=/x", true}, {"0;url", "url", true},
		{".5;url=/x", "/x", true}, {"0.9; url=/x", "/x", true}, {"5; url=/x", "/x", false}, {"99999999999999999999;url=/x", "/x", false},
		{"", "", false}, {"0", "", true}, {"5", "", false}, {"0;", "", true}, {"0;url=", "", true}, {"0;url=''", "", true},
		{";url=/x", "", false}, {"url=/x", "", false}, {"0x;url=/x", "", false}, {"0url=/x", "", false}, {"1e0;url=/x", "", false}, {"-1;url=/x", "", false}, {"\u00a00;url=/x", "", false},
	} {
		if target, atOnce := Refresh(c.content); target != c.target || atOnce != c.atOnce {
			t.Errorf("Refresh(%q) = %q, %v, want %q, %v", c.content, target, atOnce, c.target, c.atOnce)
		}
	}
}

package requisites

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestOfAPage(t *testing.T) {
	const page = `<!doctype html><head>
<link rel="StyleSheet alternate" href="a.css"><link rel=icon href="/i.ico"><link rel=canonical href=/c>
<link rel=preload as=font href=f.woff2><link rel=preload as=fetch href=data.json>
<style>@import "b.css"; p { background: url( 'p.png' ) }</style>
<script src="s.js?a=1&amp;b=2"></script><script>var x = "<img src=no.png>"</script>
<body background=bg.gif style="background:url(st.png)">
<!-- <img src=comment.png> -->
<picture><source srcset="l.webp 2x, m.webp, n.webp 100w ,o.webp"><img src="pic.jpg#x" srcset="pic.jpg 1x, data:x,y 2x"></picture>
<img src="data:image/png;base64,AAAA"><img src=""><video poster=v.jpg src=v.mp4></video>
<iframe src=frame.html></iframe><a href=page.html>x</a><svg><use xlink:href="#own"/><image href=g.png /></svg>
<input type=image src=in.png><source type="video/mp4" src=film.mp4>`
	want := []string{"a.css", "/i.ico", "f.woff2", "b.css", "p.png", "s.js?a=1&b=2", "bg.gif", "st.png",
		"l.webp", "m.webp", "n.webp", "o.webp", "pic.jpg", "v.jpg", "g.png", "in.png"}
	if got := Of([]byte(page), 100); !slices.Equal(got, want) {
		t.Errorf("Of = %q, want %q", got, want)
	}
	if got := Of([]byte(page), 3); !slices.Equal(got, want[:3]) {
		t.Errorf("Of = %q, want three", got)
	}
}

func TestOfAStyleSheet(t *testing.T) {
	for sheet, want := range map[string][]string{
		`@import "a.css" screen; @IMPORT url(b.css);`:                                           {"a.css", "b.css"},
		`p{background:URL("c d.png")} /* url(no.png) */ q{src:url(e.woff) format("woff")}`:      {"c d.png", "e.woff"},
		`p{content:"url(no.png)"; background:url(\66 .png)}`:                                    {"f.png"},
		`p{background:url(data:image/png;base64,AA==)} @font-face{src:local("x"),url(a\).png)}`: {"a).png"},
		`p{background:curl(no.png)} q{background:url(`:                                          nil,
		`@import 'broken
url(g.png)`: {"g.png"},
	} {
		if got := OfStyle([]byte(sheet), 100); !slices.Equal(got, want) {
			t.Errorf("OfStyle(%s) = %q, want %q", sheet, got, want)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte(`<img srcset="a 1x, b">`))
	f.Add([]byte(`<style>@import "x";p{background:url(\41`))
	f.Fuzz(func(t *testing.T, b []byte) {
		was := string(b)
		for _, refs := range [][]string{Of(b, 5), OfStyle(b, 5)} {
			if len(refs) > 5 || slices.Contains(refs, "") {
				t.Errorf("%q", refs)
			}
		}
		if string(b) != was {
			t.Error("the page was changed")
		}
	})
}

func BenchmarkOfAPageOf100kB(b *testing.B) {
	page := []byte(strings.Repeat(`<p class=x>Some words <a href="/page">of a link</a><img src="/p.png"></p>`, 1400))
	for b.Loop() {
		Of(page, 200)
	}
}

func ExampleOf() {
	page := `<link rel=stylesheet href=style.css><img src="a.png" srcset="b.png 2x">`
	fmt.Println(Of([]byte(page), 10))
	// Output: [style.css a.png b.png]
}

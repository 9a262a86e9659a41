package purify

import (
	"bytes"
	"testing"

	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/purify/charset"
)

func BenchmarkPurify30kB(b *testing.B) {
	page := page30kB()
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		Purify(page, "text/html; charset=utf-8")
	}
}

func BenchmarkLinks30kB(b *testing.B) {
	page := page30kB()
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		Links(page, "text/html; charset=utf-8")
	}
}

// BenchmarkParse30kB is the yardstick: the tree that most tools start with.
func BenchmarkParse30kB(b *testing.B) {
	page := page30kB()
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := html.Parse(bytes.NewReader(page)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode30kB(b *testing.B) {
	for _, c := range []struct{ name, charset, contentType string }{
		{"ascii", "utf-8", "text/html"},
		{"gbk-labelled", "gbk", "text/html; charset=gbk"},
		{"gbk-detected", "gbk", "text/html"},
	} {
		b.Run(c.name, func(b *testing.B) {
			page := page30kB()
			if c.charset == "gbk" {
				page = bytes.Repeat([]byte("<p>\xbd\xfc\xc8\xd5\xa3\xac\xd1\xd0\xbe\xbf\xc8\xcb\xd4\xb1\xb7\xa2\xcf\xd6</p>\n"), 30000/26)
			}
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				charset.Decode(page, c.contentType)
			}
		})
	}
}

func TestTheBenchmarkPageHas30kB(t *testing.T) {
	if n := len(page30kB()); n < 29_000 || n > 31_000 {
		t.Errorf("the page of the benchmarks has %d bytes, want about 30,000", n)
	}
}

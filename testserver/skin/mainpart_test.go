package skin

import "testing"

func TestFindPartsFindsTheMainContent(t *testing.T) {
	for _, c := range []struct{ page, main, title, charset string }{
		{"", "", "", ""},
		{"plain words", "plain words", "", ""},
		{"<body>x<main>a<b>c</b></main>y</body>", "a<b>c</b>", "", ""},
		{"<body>x<div role=main>a<div>b</div>c</div>y", "a<div>b</div>c", "", ""},
		{"<body><article>a</article><main>b</main></body>", "b", "", ""},
		{"<body><main>never closed", "never closed", "", ""},
		{"<body><div id=content>a</div><article>b</article>", "b", "", ""},
		{"<title>T &amp; U</title><meta charset=' GBK'><body>a", "a", "T &amp; U", "gbk"},
		{"<meta http-equiv=content-type content='text/html; charset=big5'><body>a</body>", "a", "", "big5"},
		{"<meta charset='\"><script>'><body>a</body>", "a", "", ""},
		{"<script>'<main>'</script><body>a</body>", "a", "", ""},
	} {
		got := findParts([]byte(c.page))
		if main := c.page[got.from:got.to]; main != c.main || string(got.title) != c.title || got.charset != c.charset {
			t.Errorf("findParts(%q) = main %q, title %q, charset %q; want %q, %q, %q", c.page, main, got.title, got.charset, c.main, c.title, c.charset)
		}
	}
}

func FuzzFindParts(f *testing.F) {
	f.Add([]byte("<title>x</title><body><main>a</main></body>"))
	f.Add([]byte("<main></body><main></main><article></main>"))
	f.Fuzz(func(t *testing.T, page []byte) {
		a := findParts(page)
		if a.from < 0 || a.from > a.to || a.to > len(page) {
			t.Errorf("findParts(%q) = %d to %d", page, a.from, a.to)
		}
	})
}

package blocks

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestAPictureIsNamedWithoutItsSize(t *testing.T) {
	for src, want := range map[string]string{
		"/wp-content/uploads/2024/05/red-kite-300x200.jpg":            "red-kite",
		"https://cdn.example/uploads/red-kite-scaled.jpg?w=300&h=200": "red-kite",
		"//cdn.example/s/files/1/red_kite_300x.webp?v=17":             "red_kite",
		"red-kite-e1438123456789.jpg":                                 "red-kite",
		"red-kite@2x.png":                                             "red-kite",
		"red-kite-300x200.jpg 300w, red-kite-600x400.jpg 600w":        "red-kite",
		"/photos/5412_a81f_b.jpg":                                     "5412_a81f",
		"/albums/spring/12.jpg":                                       "spring/12",
		"12.jpg":                                                      "12",
		"https://films.example/embed/JiUxWvlCfXw?rel=0":               "JiUxWvlCfXw",
		"https://films.example/":                                      "",
		"/photos/":                                                    "photos",
		"":                                                            "",
		"/a/kite-2024-05.jpg":                                         "kite-2024-05",
		"/a/kite-model-x.jpg":                                         "kite-model",
		"/a/.jpg":                                                     "a/.jpg",
		"/a/x3x3x.gif":                                                "x3x3x",
		"https://films.example":                                       "",
		"/themes/kites/kite-thumbnail-150x150.jpeg#a":                 "kites/kite",
		"/uploads/%E9%A3%8E%E7%AD%9D-1024x768.jpg":                    "%E9%A3%8E%E7%AD%9D",
		"https://photos.example/AF1QipM/=w1200-h900":                  "=w1200-h900",
		"https://images.example/photo-1500530855697-b586d89ba3ee?q=80&w=1000":     "photo-1500530855697-b586d89ba3ee",
		"https://images.example/photo-1500530855697-b586d89ba3ee?q=80&w=600,hash": "photo-1500530855697-b586d89ba3ee",
	} {
		if got := string(pictureName([]byte(src))); got != want {
			t.Errorf("%q is named %q, want %q", src, got, want)
		}
	}
}

// picturesOf returns the pictures of a page whose body are the blocks that start with "Kites".
func picturesOf(html string) []uint32 {
	var o Outline
	o.Reset()
	o.Read([]byte(html), false)
	body := make([]bool, len(o.Blocks))
	for i, b := range o.Blocks {
		body[i] = bytes.HasPrefix(o.Text[b.From:b.To], []byte("Kites"))
	}
	return o.Pictures(body)
}

func TestPicturesOfAPage(t *testing.T) {
	read := picturesOf
	for _, c := range []struct{ a, b string }{
		{`<img src="/kites/red-kite.jpg">`, `<img src="/small/red-kite-100x100.png" alt="x"><img src="data:image/gif;base64,AAAA">`},
		{`<img src="/kites/red-kite.jpg">`, `<img src="/loading.gif" data-src="/kites/red-kite.jpg"><noscript><img src="/kites/red-kite.jpg"></noscript>`},
		{`<img src="/kites/red-kite.jpg">`, `<picture><source srcset="red-kite-640x480.webp 640w"><img src="red-kite.jpg"></picture>`},
		{`<iframe src="https://films.example/embed/abcdef"></iframe>`, `<iframe data-src="https://films.example/embed/abcdef?autoplay=1" src="about:blank"></iframe>`},
		{`<video src="/kites-in-may.mp4"></video>`, `<video><source src="/hd/kites-in-may.webm"></video>`},
		{`<audio src="/songs/kites-in-may.mp3" controls></audio>`, `<audio controls><source src="/ogg/kites-in-may.ogg">Your browser plays no sound.</audio>`},
		{`<object data="/shows/kites-in-may.swf"></object>`, `<object data="/kites-in-may.swf"><embed src="/kites-in-may.swf"></object>`},
		{`<p>none</p>`, `<object><param name="a" value="b"></object><audio></audio><img><img src=""><img src="data:,"><img src="https://people.example/avatar/a1b2c3"><img src="/wp-content/themes/plain/headers/head-7.jpg">`},
		{`<p>Kites<p><img src="/red-kite.jpg">`, `<p>Menu<p><img src="/red-kite.jpg">Kites fly<p>Kites<p>Foot<p><img src="/foot.jpg">`},
		{`<p>Kites<p><img src="/red-kite.jpg">`, `<p>Kites<img src="/red-kite.jpg"><noscript><p>Scripts<p>are<p>off<p></noscript><p>Foot<p><img src="/foot.jpg">`},
	} {
		if a, b := read(c.a), read(c.b); !slices.Equal(a, b) || len(a) > 1 {
			t.Errorf("%s shows %x, and %s %x; want one picture, the same", c.a, a, c.b, b)
		}
	}
	picture := read(`<img src="/red-kite.jpg">`)
	for _, shown := range []string{`<video src="/red-kite.mp4"></video>`, `<audio><source src="/red-kite.mp3"></audio>`, `<audio src="/red-kite.mp3"></audio>`, `<object data="/red-kite.swf"></object>`} {
		if film := read(shown); len(film) != 1 || len(picture) != 1 || film[0] >= FirstPicture || picture[0] < FirstPicture {
			t.Errorf("%s is %x and a picture %x; want one smaller than %x, and one that is not", shown, film, picture, uint32(FirstPicture))
		}
	}
}

// A frame may be named for the program that shows something, and the path says what that is.
func TestAFrameIsNamedByWhatItShows(t *testing.T) {
	frame := func(src string) []uint32 { return picturesOf(`<iframe src="` + src + `"></iframe>`) }
	may, june := frame("https://sheets.example/d/1xSZI0gL/chart?oid=2"), frame("https://sheets.example/d/1rqIwJUY/chart?oid=2")
	if len(may) != 1 || len(june) != 1 || may[0] >= FirstPicture || slices.Equal(may, june) {
		t.Errorf("charts of two tables are %x and %x, want two films", may, june)
	}
	if again := frame("//sheets.example/d/1xSZI0gL/chart#top"); !slices.Equal(may, again) {
		t.Errorf("one chart at two addresses is %x and %x", may, again)
	}
	if a, b := frame("https://films.example/embed/a1b2c3"), frame("https://films.example/v/a1b2c3"); !slices.Equal(a, b) {
		t.Errorf("one film at two addresses is %x and %x", a, b)
	}
}

func TestAnAlbumMayStandBelowAMenu(t *testing.T) {
	const menu, album = `<p>Kites of class 1 <a href=/2>Class 2</a>`, `<p>Album<p><img src="/red-kite.jpg"><a href="/big/black-kite.JPG?x=1"><img src="/black-kite.jpg"></a><a href="/c/"><img src="/white-kite.jpg"></a>`
	for _, c := range []struct {
		name, html string
		want       int
	}{
		{"an album of three", menu + album + `<img src="/snail-kite.jpg">`, 3},
		{"two pictures", menu + album, 0},
		{"one picture three times", menu + album + `<img src="/small/red-kite.jpg"><img src="/red-kite-300x200.jpg">`, 0},
		{"below a text", `<p>Kites ` + strings.Repeat("fly high ", 40) + album + `<img src="/snail-kite.jpg">`, 0},
		{"below a long menu", menu + `<a href=/3>` + strings.Repeat("fly high ", 40) + `</a>` + album + `<img src="/snail-kite.jpg">`, 3},
	} {
		if got := picturesOf(c.html); len(got) != c.want {
			t.Errorf("%s: %d pictures count, want %d", c.name, len(got), c.want)
		}
	}
}

func TestAFormulaIsNamedByItsTeX(t *testing.T) {
	formula := picturesOf(`<p>Kites<img src="img1.svg" alt="$\displaystyle x+1$">`)
	if len(formula) != 1 || formula[0] < FirstFormula {
		t.Errorf("a formula is %x; want one from %x on", formula, uint32(FirstFormula))
	}
	for html, same := range map[string]bool{
		`<p>Kites<img src="/b/img7.png" alt="$\displaystyle x+1$">`: true,
		`<p>Kites<img src="img1.svg" alt="$\displaystyle x+2$">`:    false,
		`<p>Kites<img src="img1.svg" alt="a drawing, $5">`:          false,
	} {
		if got := picturesOf(html); slices.Equal(got, formula) != same {
			t.Errorf("%s shows %x, and the formula is %x; the same: want %v", html, got, formula, same)
		}
	}
}

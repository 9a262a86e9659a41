package dedup

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// pictured is a page under a title that shows what the words say, and then pictures and films by their names.
func pictured(title, says string, shows ...string) string {
	var show strings.Builder
	for _, name := range append([]string{"logo-of-the-shop.png"}, shows...) {
		if film, ok := strings.CutPrefix(name, "film "); ok {
			fmt.Fprintf(&show, `<iframe src="https://films.example/embed/%s"></iframe>`, film)
		} else {
			fmt.Fprintf(&show, `<img src="/files/%s">`, name)
		}
	}
	return fmt.Sprintf(`<html lang="en"><head><title>%s</title></head><body><main><h1>%[1]s</h1>%s%s</main></body></html>`, title, says, show.String())
}

// A page that consists of formulas shows them as pictures, whose files have the same names in each folder.
func TestFormulasTellPagesOfOneNameApart(t *testing.T) {
	page := func(formulas ...string) string {
		var show strings.Builder
		for i, tex := range formulas {
			fmt.Fprintf(&show, `<p><img src="img%d.svg" alt="%s">`, i+1, tex)
		}
		return `<html lang="en"><head><title>APR Problem</title></head><body><h4>APR Problem of the version</h4>` + show.String() + `</body></html>`
	}
	html := map[string]string{
		"b6/node5.html": page(`$\Sigma = p$`, `$x \to y_1$`),
		"b7/node5.html": page(`$\Sigma = p$`, `$x \to z_2$`),
		"b8/node5.html": page(`$\Sigma = p$`, `$x \to y_1$`) + "<!-- made later -->",
	}
	pages := siteAmong(t, 90, html, slices.Sorted(maps.Keys(html)))
	areOneByRule(t, pages, []twoPages{{"b6/node5.html", "b7/node5.html", false}, {"b6/node5.html", "b8/node5.html", true}})
}

// described are the words, some 20 a line, that a shop says of each colour of a product, or that stand below
// each film of a tour.
func described(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "<p>Its ropes%d are made of twine%[1]d that neither rain%[1]d nor wind%[1]d can wear, and its frame%[1]d is of ash that grew near lake%[1]d.</p>\n", i)
	}
	return b.String()
}

// What tells two colours of a product apart, or two evenings of a tour, may be what the pages show. The body's words
// are equal.
func TestPicturesAndFilmsTellPagesApart(t *testing.T) {
	brief, story := described(0, 6), described(6, 20)
	html := map[string]string{
		"products/red-kite/":    pictured("Summer kite in red", brief, "red-kite-1.jpg", "red-kite-2.jpg"),
		"products/blue-kite/":   pictured("Summer kite in blue", brief, "blue-kite-1.jpg", "blue-kite-2.jpg"),
		"sale/crimson-kite/":    pictured("Kite for summer, crimson", brief, "red-kite-1-300x200.jpg", "red-kite-2@2x.jpg"),
		"sale/kite-of-the-day/": pictured("Todays offer", brief, "red-kite-1.jpg"),
		"tour/north/":           pictured("Tour in the north", story, "film a1b2c3d4", "portrait-of-anna.jpg"),
		"tour/south/":           pictured("Evening in the south", story, "film e5f6g7h8", "portrait-of-anna.jpg"),
		"news/ropes/":           pictured("Ropes that nothing wears", story, "cover-of-may.jpg"),
		"blog/frames/":          pictured("Frames of ash", story, "cover-of-june.jpg"),
	}
	pages := siteAmong(t, 90, html, slices.Sorted(maps.Keys(html)))
	areOneByRule(t, pages, []twoPages{
		{"products/red-kite/", "products/blue-kite/", false},
		{"products/red-kite/", "sale/crimson-kite/", true},      // the same pictures in other sizes
		{"products/red-kite/", "sale/kite-of-the-day/", true},   // one of them
		{"products/blue-kite/", "sale/kite-of-the-day/", false}, // another one
		{"tour/north/", "tour/south/", false},
		{"news/ropes/", "blog/frames/", true}, // a story under two headlines
		{"news/ropes/", "tour/south/", true},  // and one with a film
	})
	kept := NewSet(DefaultOptions())
	for _, path := range []string{"tour/north/", "tour/south/", "products/red-kite/", "products/blue-kite/"} {
		if m := kept.AddText(path, *pages[path]); m.Of != "" {
			t.Errorf("%s is a copy of %s at level %d; want none: it shows another film or picture", path, m.Of, m.Level)
		}
	}
}

// Two lists may differ in a thing or two, which each shows with a picture.
func TestListsShowOtherPictures(t *testing.T) {
	list := func(title string, from, to int) string {
		var posts strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&posts, "<img src='/files/cover-of-thing-%d.jpg'>%s", i, mendedPost(i))
		}
		return strings.Replace(pictured(title, posts.String()), "</main>", "</main><a href='page/2/'>2</a>", 1)
	}
	html := map[string]string{"tag/a/": list("Sheds", 0, 20), "tag/b/": list("Mending", 1, 21), "tag/c/": list("Yards", 0, 20)}
	pages := siteAmong(t, 90, html, slices.Sorted(maps.Keys(html))) // so that the site does not repeat the covers
	areOneByRule(t, pages, []twoPages{{"tag/a/", "tag/c/", true}, {"tag/a/", "tag/b/", true}})
	shows := func(name string, from, to uint32) *reading {
		text := &Text{Title: name, Name: name, Host: "a.example", listing: true}
		for i := from; i < to; i++ {
			text.pictures = append(text.pictures, purify.FirstPicture+i)
			text.Lists = append(text.Lists, i)
		}
		text.shownTo = math.MaxUint32
		return text.reading()
	}
	for from, want := range map[uint32]bool{0: false, 4: false, 5: true} { // of 20 pictures 16 are in both, or 15
		if got := picturedApart(shows("sheds", 0, 20), shows("yards", from, from+20)); got != want {
			t.Errorf("lists that show %d pictures each that the other one lacks are two: %v, want %v", from, got, want)
		}
	}
}

// Pages of a gallery have one title and no words.
func TestPagesOfAGalleryShowOtherPictures(t *testing.T) {
	gallery := func(says string, from, to int) string {
		var shows []string
		for i := from; i < to; i++ {
			shows = append(shows, fmt.Sprintf("kites-over-the-lake-%d.jpg", i))
		}
		return pictured("Pictures of kites", says, shows...)
	}
	says := "<p>Back to all pictures</p><p>As a film</p><p>Larger ones</p>"
	pages := pagesAmong(t, map[string]string{
		"gallery/screens5817/": gallery(says, 0, 12), "gallery/screens6193/": gallery(says, 12, 24), "gallery/all/": gallery(says, 0, 12),
		"gallery/print/": gallery(says, 0, 1),
	})
	areOneByRule(t, pages, []twoPages{
		{"gallery/screens5817/", "gallery/screens6193/", false},
		{"gallery/screens5817/", "gallery/all/", true},
		{"gallery/screens6193/", "gallery/print/", true}, // it hardly shows any
	})
}

// Each album has its pictures and its name above a long list of all albums.
func TestAlbumsAboveAListOfAllAlbumsAreTwo(t *testing.T) {
	var all strings.Builder
	for i := range 60 {
		fmt.Fprintf(&all, `<li><a href="%d.html"><img src="/thumbs/cover-of-album-%[1]d.jpg"></a><h3><a href="%[1]d.html">Outing to %[2]co%[3]cel</a></h3><p>The class went to %[2]co%[3]cel in May, saw the mill and the lake there, and came home after supper with wet feet.</p></li>`, i, 'a'+i%26, 'a'+i/26)
	}
	album := func(name string, from, to int) string {
		var shows strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&shows, `<li><a href="/large/outing-%d.jpg"><img src="/small/outing-%[1]d.jpg"></a></li>`, i)
		}
		return fmt.Sprintf(`<html lang="en"><head><title>Galleries</title></head><body><main><h1>Galleries</h1><h3>%s (%d images)</h3><ul>%s</ul><h2>All galleries</h2><ul>%s</ul></main></body></html>`, name, to-from, &shows, &all)
	}
	html := map[string]string{
		"g/1.html": album("Outing to aoael", 0, 12), "g/2.html": album("Outing to boael", 20, 26), "g/again.html": album("Outing to aoael", 0, 12),
		"g/renamed.html": album("To aoael and back", 0, 12), "g/small.html": album("Outing to aoael", 30, 42),
	}
	pages := siteAmong(t, 90, html, slices.Sorted(maps.Keys(html)))
	areOneByRule(t, pages, []twoPages{
		{"g/1.html", "g/2.html", false}, {"g/1.html", "g/again.html", true},
		{"g/1.html", "g/renamed.html", true}, // the same pictures
		{"g/1.html", "g/small.html", true},   // the same pictures by other names
	})
}

// Pages of an album say some words of their site between its pictures, of which they show many.
func TestPagesOfAnAlbumMaySaySomeWords(t *testing.T) {
	says := described(0, 3)
	show := func(from, to int) string {
		var shows []string
		for i := from; i < to; i++ {
			shows = append(shows, fmt.Sprintf("kites-over-the-lake-%d.jpg", i))
		}
		return pictured("Pictures of kites", says, shows...)
	}
	pages := pagesAmong(t, map[string]string{
		"album/page/1/": show(0, 12), "album/page/2/": show(12, 24), "album/thumbnails/": show(0, 12), "kites/red/": show(30, 32), "kites/blue/": show(32, 34),
	})
	areOneByRule(t, pages, []twoPages{
		{"album/page/1/", "album/page/2/", false}, {"album/page/1/", "album/thumbnails/", true},
		{"kites/red/", "kites/blue/", true}, // hardly an album for what they say
	})
}

// One sentence above the pictures of two places is their body, and no short post under two URLs.
func TestASentenceAbovePicturesIsNoPost(t *testing.T) {
	sentence := "<p>All of these were taken from the northern shore of the lake on the day of the kites in August, by whoever had a camera and was not too wet to use it.</p>"
	shore, harbour := pictured("Pictures of kites", sentence, "red-kite.jpg", "blue-kite.jpg", "nine-kites.jpg"), pictured("Pictures of kites", sentence, "boats-1.jpg", "boats-2.jpg", "boats-3.jpg")
	pages := pagesAmong(t, map[string]string{"shore/": strings.Replace(shore, "</main>", "</main><footer><a href='/day-0/'>Before it rained there</a></footer>", 1), "harbour/": harbour, "shore-again/": shore})
	areOneByRule(t, pages, []twoPages{{"shore/", "harbour/", false}, {"shore/", "shore-again/", true}})
}

// A page of one picture next to the newest ones has nothing but links, and is taken for a list.
func TestPagesOfOnePictureAreNoListOfTheNewest(t *testing.T) {
	var newest strings.Builder
	for i := range 9 {
		fmt.Fprintf(&newest, `<li><a href="/pictures/newest-%d/"><img src="/files/newest-%[1]d.jpg">A picture%[1]d of the lake%[1]d at dawn%[1]d</a></li>`, i)
	}
	page := func(title, picture string) string {
		return fmt.Sprintf(`<html><head><title>%s</title></head><body><main><h1>%[1]s</h1><img src="/files/%s"><ul>%s</ul></main></body></html>`, title, picture, newest.String())
	}
	pages := pagesAmong(t, map[string]string{
		"pictures/tickets/":   page("Students with their tickets", "tickets-of-students.jpg"),
		"pictures/waiting/":   page("Curious and excited", "students-are-waiting.jpg"),
		"pictures/waiting-2/": page("Curious and excited", "students-wait-for-the-bus.jpg"),
		"archive/waiting/":    page("Those who wait", "students-are-waiting-640x480.jpg"),
	})
	for _, p := range pages {
		p.listing = true
	}
	areOneByRule(t, pages, []twoPages{
		{"pictures/tickets/", "pictures/waiting/", false}, {"pictures/waiting/", "pictures/waiting-2/", false},
		{"pictures/waiting/", "archive/waiting/", true},
	})
}

// Two versions of a manual have a logo each, which says nothing of their pages.
func TestPicturesThatASiteRepeatsDoNotCount(t *testing.T) {
	member := func(name, logo string) string {
		return fmt.Sprintf(`<html><head><title>%s</title></head><body><main><img src="/files/%s"><h1>%[1]s</h1>%[3]s</main></body></html>`, name, logo, described(0, 6))
	}
	pages, paths := map[string]string{}, []string{"1/chararray.size.html", "2/memmap.size.html", "2/recarray.size.html"}
	pages[paths[0]], pages[paths[1]] = member("chararray size", "logo-of-old-times.svg"), member("size of a memmap", "logo-of-today.svg")
	pages[paths[2]] = member("recarrays have a size", "memory-of-a-recarray.svg")
	for i := range 80 {
		path := fmt.Sprintf("%d/post-%d.html", 1+i%2, i)
		paths = append(paths, path)
		pages[path] = strings.Replace(filler(path), "<p>", []string{`<img src="/files/logo-of-old-times.svg"><p>`, `<img src="/files/logo-of-today.svg"><p>`}[i%2], 1)
	}
	texts := siteOf(t, paths, func(path string) string { return pages[path] })
	areOneByRule(t, texts, []twoPages{{paths[0], paths[1], true}})
	if len(texts[paths[0]].pictures) > 0 || len(texts[paths[2]].pictures) != 1 {
		t.Errorf("pictures of two members: %x, %x; want none and one", texts[paths[0]].pictures, texts[paths[2]].pictures)
	}
}

// Of a page that shows more than are kept it is not known what else it shows, whatever its site repeats of it.
func TestPicturesThatAreNotKeptAreNotLacking(t *testing.T) {
	var many []uint32
	for i := range uint32(purify.MaxPictures) {
		many = append(many, 10*i+10)
	}
	last := many[len(many)-1]
	for _, c := range []struct {
		a, b               []uint32
		mine, both, theirs int
	}{
		{nil, nil, 0, 0, 0},
		{[]uint32{1, 2}, []uint32{2, 3, 4}, 1, 1, 2},
		{many, []uint32{10, last, last + 1}, len(many) - 2, 2, 0},
		{many, []uint32{5, last + 1}, len(many), 0, 1},
		{many, many, 0, len(many), 0},
		{many, append(slices.Clone(many[1:]), last+3), 1, len(many) - 1, 0},
	} {
		var x, y Text
		x.show(c.a)
		y.show(c.b)
		if mine, both, theirs := inTwo(&x, &y, math.MaxUint32); mine != c.mine || both != c.both || theirs != c.theirs {
			t.Errorf("%d and %d: %d, %d in both, %d; want %d, %d, %d", c.a, c.b, mine, both, theirs, c.mine, c.both, c.theirs)
		}
		if theirs, both, mine := inTwo(&y, &x, math.MaxUint32); mine != c.mine || both != c.both || theirs != c.theirs {
			t.Errorf("%d and %d the other way: %d, %d in both, %d; want %d, %d, %d", c.a, c.b, mine, both, theirs, c.mine, c.both, c.theirs)
		}
	}
	var site purify.Site
	var template *purify.Template
	page := "<title>Kites %d</title><main><p>The kite %[1]d flies over the lake %[1]d.</p>"
	for i := range purify.MaxPictures + 8 {
		page += fmt.Sprintf("<img src='kite-over-the-lake-%d.jpg'>", i)
	}
	for i := range 30 {
		if _, prints := purify.PurifyOn(nil, "http://a.example/", fmt.Appendf(nil, page, i), "text/html"); i > 0 {
			if made := site.Learn(prints); made != nil {
				template = made
			}
		}
	}
	view, _ := purify.PurifyOn(template, "http://a.example/", fmt.Appendf(nil, page, 0), "text/html")
	if text := TextOf(view, template); len(view.Pictures) != purify.MaxPictures || len(text.pictures) != 0 || text.shownTo != view.Pictures[purify.MaxPictures-1] {
		t.Errorf("of %d pictures that a site repeats %d are left, known up to %d; want none, and up to the last one", len(view.Pictures), len(text.pictures), text.shownTo)
	}
}

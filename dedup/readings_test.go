package dedup

import (
	"fmt"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// Which links of a page are in its body depends on the template that it was read with. Two tags of one post
// may have been read with two.
func TestTwoTagsOfOnePostAreOneByWhateverTemplateTheyWereRead(t *testing.T) {
	var s purify.Site
	var site *purify.Template
	read := func(path, title, says string) *purify.DocView {
		url := "http://blog.test/" + path
		view, prints := purify.PurifyOn(site, url, []byte(blogPage(title, says)), "text/html")
		view.URL = url
		if made := s.Learn(prints); made != nil {
			site = made
		}
		return view
	}
	for n := range 40 {
		read(fmt.Sprint("posts/", n), fmt.Sprint("Post ", n), fmt.Sprintf("<h1>Post %d</h1><p>This is what post%d says of things%d, and of others%d too, which is not much.</p>", n, n, n, n))
	}
	excerpt := func(post string) string {
		return `<h2><a href="/2017/` + post + `/">Notes on the classifier that is linear</a></h2><p>2017-07-17, 26 minutes</p><p><a href="/courses/` + post + `/">The course</a>, <a href="/courses/translated/">and its translation</a></p>
<p>The original came first, and then somebody turned out to have translated it into our language, so that this is only what was left to write down when all of it had been read to the end, and then once more.</p>
<p>A classifier is a function whose variable is the picture and whose value is the class to which the picture belongs.</p>`
	}
	iron := read("tags/iron/", "iron", excerpt("linear"))
	wind := read("tags/wind/", "wind", excerpt("linear"))
	rain := read("tags/rain/", "rain", excerpt("another"))
	for _, v := range []*purify.DocView{wind, rain} { // as with a template that took the links for its site's
		for i := range v.Links {
			v.Links[i].Body = i%2 == 1
		}
		for i := range v.Blocks {
			v.Blocks[i].Chosen = v.Blocks[i].Chosen && !v.Blocks[i].Linked
		}
	}
	for _, order := range [][]*purify.DocView{{iron, wind}, {wind, iron}} {
		g, l := readingGate(t)
		for n, want := range []bool{false, true} {
			if v := claimView(t, g, l, DocID(n+1), order[n], site); v.Copy() != want {
				t.Errorf("%s: %+v, want a copy: %v", order[n].URL, v, want)
			}
		}
	}
	for _, order := range [][]*purify.DocView{{iron, rain}, {rain, iron}} {
		g, l := readingGate(t)
		claimView(t, g, l, 1, order[0], site)
		if v := claimView(t, g, l, 2, order[1], site); v.Copy() {
			t.Errorf("%s: %+v, want another document: the same words lead to another post", order[1].URL, v)
		}
	}
}

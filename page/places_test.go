package page

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// repetitive is a page whose blocks start with references, tags and white space, and mostly as others do.
func repetitive() string {
	var html strings.Builder
	html.WriteString("<title>Members</title><body><h1>Members of the class</h1><table>")
	for i := range 300 {
		fmt.Fprintf(&html, "<tr><td>\n  <a href=m%d.html>member%d</a></td><td> public&nbsp;<b>int</b> of the class</td><td>Returns the value &amp; nothing else.</td></tr>\n", i, i%7)
	}
	return html.String() + "</table>"
}

// TestAViewIsPackedAtThePlacesOfItsBlocks requires that a view takes less room with the places of its blocks than without them, also
// on a page with a byte order mark, and that places that are wrong change no view.
func TestAViewIsPackedAtThePlacesOfItsBlocks(t *testing.T) {
	html := repetitive()
	read := func(page string) *purify.DocView {
		view, _ := purify.Reader{Answers: true}.PurifyOn(nil, "https://a.example/p", []byte(page), "text/html")
		return view
	}
	packed := func(view *purify.DocView, page string) []byte {
		b := PackViewOn(view, []byte(page))
		got, err := UnpackViewOn(b, func() ([]byte, error) { return []byte(page), nil })
		want := *view
		want.Answers, want.Places = nil, nil
		if err != nil || !reflect.DeepEqual(got, &want) {
			t.Errorf("unpacked it is %+v, %v\nwant %+v", got, err, &want)
		}
		return b
	}
	known := read(html)
	unknown := *known
	unknown.Places = nil
	least, most := len(packed(known, html)), len(packed(&unknown, html))
	if least >= most {
		t.Errorf("with the places of its blocks the view takes %d bytes, want less than the %d without them", least, most)
	}
	const mark = "\xef\xbb\xbf"
	if n := len(packed(read(mark+html), mark+html)); n > least+16 {
		t.Errorf("on a page with a byte order mark it takes %d bytes, want about %d", n, least)
	}
	for _, other := range []string{"<p>other words</p>" + html, html[20:], strings.Repeat("x", 100), mark} {
		wrong := *known
		wrong.Places = read(other).Places
		packed(&wrong, html)
	}
}

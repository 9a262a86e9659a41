package dedup

import (
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup/internal/naming"
)

// Two classes whose pages have little but what both inherit are two by titles and files, as phpDocumentor and Haxe
// name these. A post under two titles is one.
func TestClassesThatInheritAllAreTwo(t *testing.T) {
	var inherited strings.Builder
	for i := range 80 {
		fmt.Fprintf(&inherited, "<h4>method step%d of the sum and its parts</h4><p>Counts what is there and returns the sum of part %[1]d, or nothing if none is.</p>", i)
	}
	page := func(title, extra string) string {
		return `<html lang="en"><head><title>` + title + `</title></head><body><h1>` + title + `</h1>` + extra + inherited.String() + `</body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/api/wind-vane.html": page("wind_vane extends gauge", ""), "/api/rain-meter.html": page("rain_meter extends gauge", ""),
		"/2.0/api/wind-vane.html": page("wind_vane extends gauge", "<p>Since 2.0.</p>"),
		"/js/MenuElement.html":    page("class MenuElement", ""), "/js/Sail.html": page("class Sail", ""),
		"/posts/a-walk.html": page("A walk", ""), "/posts/my-walk.html": page("My walk", ""),
	})
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"/api/wind-vane.html", "/api/rain-meter.html", false}, {"/js/MenuElement.html", "/js/Sail.html", false},
		{"/api/wind-vane.html", "/2.0/api/wind-vane.html", true}, {"/posts/a-walk.html", "/posts/my-walk.html", true},
	} {
		if j, got := one(site[c.a], site[c.b]); got != c.same || j < DefaultOptions().Resemblance {
			t.Errorf("%s and %s: one page: %v (J %.2f), want %v", c.a, c.b, got, j, c.same)
		}
	}
	if site["/js/Sail.html"].decides() {
		t.Error("an equal body is enough for the page of a class")
	}
}

func TestTitledNames(t *testing.T) {
	for _, c := range []struct{ name, title, want string }{
		{"wind-vane.html", "wind_vane extends gauge", "windvane"}, {"MenuElement.html", "class MenuElement", "menuelement"},
		{"Sail.html", "Sail", "sail"}, {"Units$$meter$.html", "meter", "meter"},
		{"Text-Kite-Pos.html", "Text.Kite.Pos", "pos"}, {"Old-Text-Kite-Pos.html", "Old.Text.Kite.Pos", "pos"},
		{"windvane.html", "WindVane", ""}, {"MenuElement", "MenuElement", ""}, {"About.html", "About the kites", ""},
		{"sails.html", "sails", ""}, {"$.html", "$", ""},
	} {
		if got := naming.TitledName(c.name, c.title); got != c.want {
			t.Errorf("%s under %q: %q, want %q", c.name, c.title, got, c.want)
		}
	}
}

package dedup

import (
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// teasing is a short page with teasers of two others, and a line with a number.
func teasing(i int, title, says, list string) string {
	return fmt.Sprintf(`<html lang="en"><head><title>%s</title></head><body><main class="text"><h1>%[1]s</h1><p>%s</p>%s</main>
<div class="card"><h5><a href="/k%[4]d">How kite %[4]d came to the coast</a></h5><p>The makers of number %[4]d were the first who sewed a sail of this size in a single winter.</p></div>
<div class="card"><h5><a href="/k%[5]d">What kite %[5]d is made of</a></h5><p>Neither ropes nor cloth of number %[5]d were ever bought, and yet it flew on the second day.</p></div>
<div class="foot">The museum of kites is closed in winter. You are visitor number %[6]d of this page.</div></body></html>`, title, says, list, i*3+100, i*7+200, 4000+i)
}

// Teasers of other pages and a number of visitors are longer than a short page, and others on each site that has it.
func TestAShortPageIsOneInTwoFramesThatVary(t *testing.T) {
	kites := func(host string) (*purify.Template, func(name string, i int, title, says, list string) (*purify.DocView, []byte)) {
		site := new(purify.Site)
		var template *purify.Template
		for i := range 40 {
			says := strings.Repeat(fmt.Sprintf("Kite %d of the year %d has a tail of %d ells. ", i, 1900+i, i*i), 3)
			_, prints := purify.PurifyOn(nil, fmt.Sprintf("http://%s/k%d", host, i), []byte(teasing(i, fmt.Sprintf("The long history of kite %d", i), says, "")), "text/html")
			if made := site.Learn(prints); made != nil {
				template = made
			}
		}
		return template, func(name string, i int, title, says, list string) (*purify.DocView, []byte) {
			page := []byte(teasing(i, title, says, list))
			view, _ := purify.PurifyOn(template, "http://"+host+"/"+name, page, "text/html")
			view.URL = "http://" + host + "/" + name
			return view, page
		}
	}
	const title = "The kite of the two sisters"
	const says = "Two sisters of the village sewed it from the sails of a boat that had been on the beach since the great storm, and nobody asked them for whom."
	const other = "It was bought from a dealer who could not say where it came from, who had made it, or why its tail was painted in the colours of another country."
	items := func(of string) string {
		var b strings.Builder
		for i := range 20 {
			fmt.Fprintf(&b, `<p>%s number %d</p>`, of, i)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		host, title, says string
		lists             [2]string
		copy              bool
		folders           [2]string
	}{
		"the same text":                     {"b.example", title, says, [2]string{}, true, [2]string{}},
		"another text under the same title": {"b.example", title, other, [2]string{}, false, [2]string{}},
		"another title":                     {"b.example", "The kite of the three brothers", says, [2]string{}, false, [2]string{}},
		"what is no frame differs":          {"b.example", title, says, [2]string{items("The knot of a sailor"), items("A wind from the sea")}, false, [2]string{}},
		"the same on one host":              {"a.example", title, says, [2]string{}, false, [2]string{}},
		"another version of a manual":       {host: "b.example", title: title, says: says, folders: [2]string{"1.0/", "2.0/"}},
		"the same version":                  {host: "b.example", title: title, says: says, folders: [2]string{"1.0/", "1.0/"}, copy: true},
	} {
		here, at := kites("a.example")
		there, of := kites(c.host)
		g, l := readingGate(t)
		kept, _ := at(c.folders[0]+"sisters.html", 50, title, says, c.lists[0])
		claimView(t, g, l, 1, kept, here)
		view, _ := of(c.folders[1]+"sisters.html", 90, c.title, c.says, c.lists[1])
		if c.host == "a.example" {
			view.URL = "http://a.example/again/sisters.html"
		}
		if got := claimView(t, g, l, 2, view, there); got.Copy() != c.copy {
			t.Errorf("%s: %v, want a copy: %v", name, got, c.copy)
		}
	}
}

package dedup

import (
	"fmt"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// A page of one line below a title of its own is one with the same page on another host, whatever the lines of the two frames say in their
// forms: a date, a number of readers.
func TestOneLineBesideTheFormsOfTwoFramesIsAPage(t *testing.T) {
	frames := map[string]string{
		"a": `<html><head><title>%[1]s</title></head><body><h1>%[1]s</h1><div class="by">Posted on March %[3]d, 2019 by the editor, %[3]d min read</div><div class="entry"><p>%[2]s</p></div><p class="all">All rights reserved by the desk.</p></body></html>`,
		"b": `<html><head><title>%[1]s</title></head><body><div class="main"><h2>%[1]s</h2><div class="t">%[2]s</div></div><div class="side"><div>%[3]d people found this helpful</div></div><div>Powered by the plain engine of the coast.</div></body></html>`,
	}
	advisory := func(n int) (title, line string) {
		name := string(rune('A'+n%20)) + "lorven" + string(rune('a'+n/20))
		return "Advisory for package " + name, fmt.Sprintf("CVE-2012-%d, package %s, fixed in %d.0-2", 4000+17*n, name, 2+n%7)
	}
	read := func(host string, template *purify.Template, n int) (*purify.DocView, []purify.Print) {
		title, line := advisory(n)
		page := fmt.Appendf(nil, frames[host], title, line, 3+n*7%23)
		return purify.PurifyOn(template, fmt.Sprintf("http://%s.example/adv/%d.html", host, n), page, "text/html")
	}
	templates := map[string]*purify.Template{}
	for host := range frames {
		site := new(purify.Site)
		for n := range 24 {
			_, prints := read(host, nil, n)
			if made := site.Learn(prints); made != nil {
				templates[host] = made
			}
		}
	}
	text := func(host string, n int) *Text {
		view, _ := read(host, templates[host], n)
		view.URL = fmt.Sprintf("http://%s.example/adv/%d.html", host, n)
		text := TextOf(view, templates[host])
		return &text
	}
	o := DefaultOptions()
	for n := range 24 {
		if v := o.compareTexts(outline{}, outline{}, text("a", n), text("b", n)); !v.same() {
			t.Errorf("advisory %d is two pages on two hosts: %s", n, v.apart)
		}
		if v := o.compareTexts(outline{}, outline{}, text("a", n), text("b", (n+1)%24)); v.same() {
			t.Errorf("advisories %d and %d are one", n, n+1)
		}
	}
}

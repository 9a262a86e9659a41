package purify

import (
	"fmt"
	"strings"
	"testing"
)

// Most classes of a library have no more than what they inherit. It is not the frame of the manual: a class that says
// nothing else keeps it, and one that has its own text, or a page with the same lines elsewhere, does not get it back.
func TestAPageOfItsOwnNameKeepsWhatItInherits(t *testing.T) {
	const inherited = `<h3>Constructor</h3><h3><code>new (<a href="Tree.html">Tree</a>) builds a node of the tree</code></h3><h3>Inherited Methods</h3><p>Adds an input from another node of the tree to the list of inputs, and returns its number.`
	const frame = `<div class="top"><a href="/">All classes of the library of nodes</a></div>`
	class := func(name, main, rest string) string {
		return fmt.Sprintf(`<html><head><title>tree.%s</title></head><body>%s<div class="page"><h1>class %[1]s</h1><div>%[3]s</div></div>%s<p>Made by the keepers of the trees and of all that lives there.</p></body></html>`, name, frame, main, rest)
	}
	var h host
	for n := range 24 {
		main := inherited
		if n%5 == 4 {
			main = "<p>" + sentence(n)
		}
		h.meet(class(fmt.Sprintf("Node%d", n), main, ""))
	}
	const method, footer = "Adds an input from another node", "Made by the keepers"
	for _, c := range []struct {
		name, page string
		keeps      bool
	}{
		{"a class that only inherits", class("Node30", inherited, ""), true},
		{"a class with its own text", class("Node31", "<p>"+sentence(31)+inherited, ""), false},
		{"lines that stand elsewhere", class("Node32", "", `<div><p>`+sentence(33)+`</div><div class="sidebar">`+inherited+`</div>`), false},
		{"no heading of the page's own", strings.Replace(class("Node33", inherited, ""), "<h1>class Node33</h1>", "", 1), false},
	} {
		body := h.again(c.page)
		if strings.Contains(body, method) != c.keeps || strings.Contains(body, footer) {
			t.Errorf("%s: the body is %q", c.name, body)
		}
	}
	v, _ := PurifyOn(h.template, "http://a.test/", []byte(class("Node30", inherited, "")), "text/html")
	for _, l := range v.Links {
		if l.Body {
			t.Errorf("the link to %s is the page's own, though each class has it", l.URL)
		}
	}
}

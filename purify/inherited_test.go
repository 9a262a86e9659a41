package purify

import (
	"fmt"
	"strings"
	"testing"
)

// Most classes of a library have no more than what they inherit. It is not the frame of the manual: a class that says
// nothing else keeps it, and one that has its own text, or a page with the same lines elsewhere, does not get it back.
func TestAPageOfItsOwnNameKeepsWhatItInherits(t *testing.T) {
	for _, theme := range []string{"page", "page hide-when-search"} { // DocFX names the element around the page so
		t.Run(theme, func(t *testing.T) { keepsWhatItInherits(t, theme) })
	}
}

func keepsWhatItInherits(t *testing.T, theme string) {
	const inherited = `<h3>Constructor</h3><h3><code>new (<a href="Tree.html">Tree</a>) builds a node of the tree</code></h3><h3>Inherited Methods</h3><p>Adds an input from another node of the tree to the list of inputs, and returns its number.`
	const frame = `<div class="top"><a href="/">All classes of the library of nodes</a></div>`
	class := func(name, main, rest string) string {
		return fmt.Sprintf(`<html><head><title>tree.%s</title></head><body>%s<div class="%[5]s"><h1>class %[1]s</h1><div>%[3]s</div></div>%[4]s<p>Made by the keepers of the trees and of all that lives there.</p></body></html>`, name, frame, main, rest, theme)
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

// A page whose text other pages quote, and whose headline is in a banner above the place of the text, keeps that.
func TestAPageThatOthersQuoteKeepsItsText(t *testing.T) {
	const text = "<p>We keep the hives as the keepers before us did, with care for the bees and for the meadows around them.<p>Whoever buys our honey may come and see the hives, the frames and the room in which it is bottled."
	page := func(name, text string) string {
		banner := `<div class=top><a href=/>All that we make and sell</a> <a href=/contact>Write to us or come and see us</a></div><div class=name><h1>` + name + `</h1></div>`
		return fmt.Sprintf(`<html><head><title>%s</title></head><body>%s<div class=content>%s</div><div class=contact><p>%s<p>%s</div></body></html>`, name, banner, text, "The office in the old mill is open from nine to five on all days but Sunday.", "Made by the keepers of the hives at the river, who own all of the words and pictures that are to be seen on these pages.")
	}
	var h host
	for n := range 70 {
		own := "<p>" + sentence(n) + " " + sentence(n+100)
		if n%4 == 3 {
			own += text
		}
		h.meet(page(fmt.Sprintf("Honey of the meadow number %d", n), own))
	}
	body := h.again(page("What we promise to our customers", text))
	if !strings.Contains(body, "We keep the hives") || !strings.Contains(body, "may come and see") || strings.Contains(body, "Made by the keepers") {
		t.Errorf("the body of the page that others quote is %q", body)
	}
}

// The members of a class and the modules of a package are in the text of a page whose body is one paragraph above them.
func TestWhatAPageOfAManualListsIsInItsBody(t *testing.T) {
	members, modules := "", ""
	for i := range 3 {
		members += fmt.Sprintf("<tr class=memlist><td><a class=el href=structHive.html#a%d>lid_of_hive_%[1]d</a></td><td><a class=el href=structHive.html>Hive</a></td><td></td></tr>", i)
		modules += fmt.Sprintf("<li><span class=module><a href=Data-Hive-%d.html>Data.Hive.Lid%[1]d</a></span>", i)
	}
	tabs := "<div class=tabs><ul class=tablist><li><a href=index.html><span>Main Page</span></a><li class=current><a href=annotated.html><span>Classes</span></a><li><a href=files.html><span>Files</span></a></ul></div><div class=tabs2><ul class=tablist><li><a href=annotated.html><span>All the classes</span></a><li><a href=classes.html><span>Class Index</span></a><li><a href=functions.html><span>Class Members</span></a></ul></div>"
	for _, c := range []struct{ name, page, want string }{
		{"members", "<head><title>Hives: Member List</title><link href=doxygen.css rel=stylesheet></head><div id=top><div id=titlearea><table><tr><td><div id=projectname>Hives</div></td></tr></table></div>" + tabs + "</div><div class=header><div class=headertitle><div class=title>Hive Member List</div></div></div><div class=contents>This is the complete list of members for <a class=el href=structHive.html>Hive</a>, including all inherited members.<table>" + members + "</table></div><hr class=footer><address class=footer><small>Generated on Mon Aug 12 2013 for Hives by <a href=http://www.doxygen.org/index.html>doxygen</a> 1.7.6.1</small></address>", "lid_of_hive_2"},
		{"values", "<head><title>Enum Lid | Hives</title><meta name=generator content=mkdocs></head><div id=wrapper><header><div class=subnav><ul class=breadcrumb><li>All the classes</ul></div></header><div role=main class='container body-content hide-when-search'><article class='content wrap _content' id=_content><h1 id=Lid>Enum Lid</h1><div class=summary><p>Says how the lid of a hive lies on it when nobody is there.</div><h6><strong>Namespace</strong>: Hives</h6><h6><strong>Assembly</strong>: Hives.dll</h6><h5 id=Lid_syntax>Syntax</h5><pre>public enum Lid : int</pre><h3 id=fields>Fields</h3><table class='table table-bordered table-striped'><thead><tr><th>Name<th>Description<tbody><tr><td>Open<td><p>Stands next to it<tr><td>Closed<td><p>Shut, with a stone on it<tr><td>Sealed<td><p>Shut with wax</table></article><nav class=affix><h5>In This Article</h5></nav></div></div>", "with a stone on it"},
		{"no manual", "<head><title>Hives in winter</title><meta property=og:type content=article></head><h1>Hives in winter</h1><div class=entry><p>" + prose(1, 1, 5)[0] + "</p><ul class=x>" + modules + "</ul></div>", ""},
	} {
		body := PurifyAt("https://bees.example/structHive-members.html", []byte(c.page), "text/html; charset=utf-8").Body
		if c.want != "" && !strings.Contains(body, c.want) || strings.Contains(body, "All the classes") || strings.Contains(body, "Data.Hive") {
			t.Errorf("%s: %q", c.name, body)
		}
	}
}

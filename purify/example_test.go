package purify_test

import (
	"fmt"
	"strings"

	"gatecrawl.example/gatecrawl/purify"
)

const bees = `<title>Bees in winter | The Gazette</title><meta property="og:type" content="article">
<nav class="menu"><ul><li><a href="/">Home</a><li><a href="/sport">Sport</a></ul></nav>
<article><h1>Bees in winter</h1><p class="byline">By Ann Writer, May 6, 2024</p>
<p>A hive does not sleep. The bees form a cluster around the <a href="/queen">queen</a> and shiver to keep the hive
warm, and the cluster slowly moves over the honey that was stored in summer.</p>
<p>A strong hive eats twenty kilos of honey before spring.</p></article>
<footer class="footer">2024 The Gazette. All rights reserved.</footer>`

// Of a page what it says, without the template around it.
func Example() {
	view := purify.PurifyAt("https://gazette.example/animals/bees", []byte(bees), "text/html")
	fmt.Println("title: ", view.Title)
	fmt.Println("author:", view.Author)
	fmt.Println("date:  ", view.Date)
	fmt.Println(view.Body)
	for _, l := range view.Links {
		fmt.Printf("link: %s %q, in the body: %v\n", l.URL, l.Text, l.Body)
	}
	// Output:
	// title:  Bees in winter
	// author: Ann Writer
	// date:   2024-05-06
	// A hive does not sleep. The bees form a cluster around the queen and shiver to keep the hive warm, and the cluster slowly moves over the honey that was stored in summer.
	// A strong hive eats twenty kilos of honey before spring.
	// link: / "Home", in the body: false
	// link: /sport "Sport", in the body: false
	// link: /queen "queen", in the body: true
}

// What the pages of a site repeat is learned from them. Once enough are known the site has
// a template, which takes that out of a page.
func ExampleSite() {
	page := func(n string) []byte {
		return []byte("<title>Page " + n + "</title><p>This line is on each page of the site, for no good reason.</p><p>" + n + " is what this page alone has to say to its readers.</p>")
	}
	var site purify.Site
	var template *purify.Template
	for _, n := range strings.Fields("One Two Three Four Five") {
		_, prints := purify.PurifyOn(template, "", page(n), "text/html")
		if made := site.Learn(prints); made != nil {
			template = made
		}
	}
	view, _ := purify.PurifyOn(template, "", page("Six"), "text/html")
	fmt.Println(view.Body)
	// Output:
	// Six is what this page alone has to say to its readers.
}

// Links reads where a page leads and nothing else, which is quicker.
func ExampleLinks() {
	for _, l := range purify.Links([]byte(bees), "text/html").Links {
		fmt.Println(l.URL)
	}
	// Output:
	// /
	// /sport
	// /queen
}

package dedup

import (
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// bodyOf returns a page with twelve lines of an article, and lines above and below that the models did not take for its body.
func bodyOf(above, below []string, edit func(lines []string) []string) *Text {
	var lines []string
	for i := range 12 {
		lines = append(lines, fmt.Sprintf("In harbour %c the boats%c with red%c sails wait for wind%c and for the tide%c of the evening.", 'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i))
	}
	if edit != nil {
		lines = edit(lines)
	}
	view := &purify.DocView{Title: "Boats of the south", Layout: 7, Template: 1}
	print := purify.Print(0)
	add := func(texts []string, chosen bool) {
		for _, text := range texts {
			print++
			view.Blocks = append(view.Blocks, purify.Block{Text: text, Print: print, Chosen: chosen, Prose: chosen})
		}
	}
	add(above, false)
	add(lines, true)
	add(below, false)
	text := TextOf(view)
	return &text
}

// Two templates may say in two ways who wrote a page and when. In the body, or with another number, it is an edit.
func TestALineOutsideTheBodyInOtherWordsIsNoEdit(t *testing.T) {
	first := func(line string) func(lines []string) []string {
		return func(lines []string) []string { return append([]string{line}, lines...) }
	}
	for _, c := range []struct {
		what string
		a, b *Text
		want bool
	}{
		{"above both", bodyOf([]string{"Posted by Anna Larsen on May 4, 2012 in sailing"}, nil, nil), bodyOf([]string{"By Anna Larsen on May 4, 2012, 3 min read"}, nil, nil), true},
		{"above and below", bodyOf([]string{"Posted by Anna Larsen on May 4, 2012 in sailing"}, nil, nil), bodyOf(nil, []string{"Last updated on May 4, 2012 by Anna Larsen"}, nil), true},
		{"in the body of one", bodyOf(nil, nil, first("Posted by Anna Larsen on May 4, 2012 in sailing")), bodyOf(nil, []string{"Last updated on May 4, 2012 by Anna Larsen"}, nil), true},
		{"in both bodies", bodyOf(nil, nil, first("Posted by Anna Larsen on May 4, 2012 in sailing")), bodyOf(nil, nil, first("Last updated on May 4, 2012 by Anna Larsen")), false},
		{"another day", bodyOf([]string{"Posted by Anna Larsen on May 4, 2012 in sailing"}, nil, nil), bodyOf([]string{"Posted by Anna Larsen on May 5, 2012 in sailing"}, nil, nil), false},
	} {
		if got := sameContent(c.a, c.b); got != c.want {
			t.Errorf("%s: sameContent = %v, want %v", c.what, got, c.want)
		}
		if got := sameContent(c.b, c.a); got != c.want {
			t.Errorf("%s, the other way: sameContent = %v, want %v", c.what, got, c.want)
		}
	}
}

// What stands outside the bodies of two copies does not decide whether they have the same content, unless it is most of a page.
func TestCommentsBelowABodyAreNoEdit(t *testing.T) {
	var comments []string
	for i := range 5 {
		comments = append(comments, fmt.Sprintf("Many thanks%c for this story%c, which helped me%c to find a berth%c in the rain and after dark%c.", 'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i))
	}
	many := make([]string, 0, 20)
	for i := range 20 {
		many = append(many, fmt.Sprintf("Comment %d of reader%c says that harbour%c is full and that no berth%c was free in this or in any summer%c.", i, 'a'+i, 'a'+i, 'a'+i, 'a'+i))
	}
	changed := func(lines []string) []string { return append(append([]string{}, lines[:5]...), lines[6:]...) }
	plain, commented := bodyOf(nil, nil, nil), bodyOf(nil, comments, nil)
	if sameContent(plain, commented) {
		t.Fatal("the comments are too few to matter")
	}
	for _, c := range []struct {
		what string
		b    *Text
		want bool
	}{
		{"comments", commented, true},
		{"comments, and a paragraph less", bodyOf(nil, comments, changed), false},
		{"more comments than article", bodyOf(nil, many, nil), false},
	} {
		if got := sameBodies(plain, c.b); got != c.want {
			t.Errorf("%s: sameBodies = %v, want %v", c.what, got, c.want)
		}
		if got := sameBodies(c.b, plain); got != c.want {
			t.Errorf("%s, the other way: sameBodies = %v, want %v", c.what, got, c.want)
		}
	}
	var o outline
	if v := DefaultOptions().compareTexts(o, o, plain, commented); !v.same() || !v.full {
		t.Errorf("a page and the same with comments: %+v, want one document with the same content", v)
	}
}

// A line at the foot with a number of visitors has mostly words that the text of another site has too, and is of the site's frame by its form.
func TestALineOfAFramesFormIsNoEdit(t *testing.T) {
	var site purify.Site
	var template *purify.Template
	for i := range 40 {
		says := strings.Repeat(fmt.Sprintf("Kite %d of the year %d has a tail of %d ells. ", i, 1900+i, i*i), 3)
		page := teasing(i, fmt.Sprintf("The long history of kite %d", i), says, "")
		_, prints := purify.PurifyOn(nil, fmt.Sprintf("http://a.example/k%d", i), []byte(page), "text/html")
		if made := site.Learn(prints); made != nil {
			template = made
		}
	}
	var story strings.Builder
	for i := range 12 {
		fmt.Fprintf(&story, "<p>In harbour %c the boats%[1]c with red%[1]c sails wait for wind%[1]c and for the tide%[1]c of the evening.</p>", 'a'+i)
	}
	story.WriteString("<p>The museum of kites is closed in winter, and you are the first visitor.</p>")
	const title = "The kite of the two sisters"
	view, _ := purify.PurifyOn(template, "http://a.example/sisters", []byte(teasing(50, title, "", story.String())), "text/html")
	framed := TextOf(view, template)
	plain := TextOf(purify.Purify([]byte("<html><head><title>"+title+"</title></head><body><main><h1>"+title+"</h1>"+story.String()+"</main></body></html>"), "text/html"))
	if !strings.Contains(framed.Body, "visitor number") {
		t.Fatalf("the number of visitors is not compared: %q", framed.Body)
	}
	if !sameContent(&framed, &plain) || !sameContent(&plain, &framed) {
		t.Errorf("the foot of a page is an edit: %q", framed.Body)
	}
}

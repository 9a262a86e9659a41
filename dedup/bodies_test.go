package dedup

import (
	"fmt"
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

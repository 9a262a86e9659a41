package metadata

import (
	"testing"

	"gatecrawl.example/gatecrawl/purify/blocks"
)

// The site repeats "Cheyenne", "Words" and "Learning" in its titles, and its first block.
func TestTitlesOfASiteThatRepeatsTheirParts(t *testing.T) {
	for name, c := range map[string]struct{ title, body, want string }{
		"the only heading that is not the site's": {"Cheyenne", "<h1>Cheyenne Schema Browser</h1><h1><a href=/>Files</a> &gt; VISITS</h1><p>name: VISITS</p>", "Files > VISITS"},
		"the number of a page":                    {"Words - page 19 | Learning", "<h1>Words</h1><p>apple, pear</p>", "Words - page 19"},
		"a number without a word":                 {"Words - 19 | Learning", "<h1>Words</h1><p>apple, pear</p>", "Words - 19"},
		"a part of its own":                       {"Words - Apple 19a | Learning", "<h1>Words</h1><p>apple, pear</p>", "Apple 19a"},
	} {
		var o blocks.Outline
		o.Reset()
		o.Read([]byte("<title>"+c.title+"</title>"+c.body), false)
		m := Read(o.Head.Markup)
		repeats := func(part string) bool { return part == "Cheyenne" || part == "Words" || part == "Learning" }
		if got := Title(&o, &m, "other", "https://site.example/19", Known{Block: func(b int) bool { return b == 0 }, Part: repeats}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestEachSeparatorCutsATitle(t *testing.T) {
	for _, sep := range separators {
		if part, rest, ok := cutTitle("Bees" + sep + "Paper House"); part != "Bees" || rest != "Paper House" || !ok {
			t.Errorf("cutTitle of a title with %q = %q, %q, %v, want Bees and Paper House", sep, part, rest, ok)
		}
	}
}

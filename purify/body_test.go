package purify

import (
	"fmt"
	"strings"
	"testing"
)

func TestTextBeyondTheBoundOfBlocksIsInTheLast(t *testing.T) {
	var page strings.Builder
	for i := range maxBlocks + 50 {
		fmt.Fprintf(&page, "<p>word%d</p>", i)
	}
	o := newOutline()
	defer o.done()
	o.read([]byte(page.String()), false)
	if len(o.blocks) != maxBlocks {
		t.Fatalf("%d paragraphs make %d blocks, want %d", maxBlocks+50, len(o.blocks), maxBlocks)
	}
	last := string(o.textOf(maxBlocks - 1))
	if want := fmt.Sprintf("word%d word%d", maxBlocks-1, maxBlocks); !strings.HasPrefix(last, want) {
		t.Errorf("the last block begins %.40q, want %q", last, want)
	}
	if want := fmt.Sprintf("word%d", maxBlocks+49); !strings.HasSuffix(last, want) {
		t.Errorf("the last block ends %q, want %q", last[len(last)-20:], want)
	}
}

func TestPagesOfAManualDifferByTheirTitles(t *testing.T) {
	page := func(name string) []byte {
		return []byte("<title>" + name + " — Manual v1.2</title><nav><a href=/>Home</a></nav><div class=body><h1>" + name + "<a href='#x'>¶</a></h1>" +
			"<p>Not implemented. This class exists to derive scalars from it, and has all methods of the array so that the two have one interface.</p></div>")
	}
	a, b := Purify(page("array.sort"), "text/html").Body, Purify(page("array.clip"), "text/html").Body
	if a == b {
		t.Errorf("two pages with one text and two titles have the same body %q", a)
	}
}

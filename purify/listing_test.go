package purify

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/metadata"
)

// A listing of source code can be one block that is longer than all that is kept of what
// stands outside a body: two programs of one site differ in nothing else.
func TestALongListingIsCutAndNotLeftOut(t *testing.T) {
	var program strings.Builder
	for i := range 6_000 {
		fmt.Fprintf(&program, "<span class=\"n\">reader%d</span><span class=\"p\">.</span><span class=\"n\">read_u%d</span><span class=\"p\">()</span>\n", i, i%64)
	}
	w := newWorkspace()
	defer w.done()
	w.MaxLinks = MaxLinks
	w.readWith(nil, "", []byte(`<html lang="en"><head><title>Kite file format</title></head><body><h1>Kite file format</h1><div class="highlight"><pre>`+program.String()+`</pre></div></body></html>`), false)
	m := metadata.Read(w.Head.Markup)
	w.body.Choose(&m)
	w.belongTo(nil)
	kept := 0
	for _, b := range w.blocksOf(make([]bool, len(w.Blocks))) {
		kept += len(b.Text)
	}
	if kept < maxAside-utf8.UTFMax || kept > maxAside {
		t.Errorf("of a listing of %d bytes that is no body %d are kept, want %d", program.Len(), kept, maxAside)
	}
}

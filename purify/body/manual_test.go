package body

import (
	"fmt"
	"testing"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/markup"
)

func TestAPageWithoutAManualsMarksIsNoManual(t *testing.T) {
	for name, c := range map[string]struct {
		page string
		want bool
	}{
		"a next page alone":       {`<link rel="next" href="2.html"><h1>News</h1>`, false},
		"a next page and the top": {`<link rel="next" href="2.html"><link rel="Contents up" href="0.html"><h1>News</h1>`, true},
		"a link to a heading":     {`<h2>News<a href="#news">#</a></h2>`, true},
		"DocBook":                 {`<meta content="DocBook XSL Stylesheets V1.79" name="generator"><h2>SELECT</h2>`, true},
		"another generator":       {`<meta content="Not DocBook" name="generator"><h2>News</h2>`, false},
		"a heading that links":    {`<h2><a href="news.html">News</a></h2>`, false},
	} {
		o := &Chooser{Outline: new(blocks.Outline)}
		o.Reset()
		o.Read([]byte(c.page), false)
		if got := o.IsManual(); got != c.want {
			t.Errorf("%s: isManual of %q = %v, want %v", name, c.page, got, c.want)
		}
	}
}

func TestATermsOwnNameIsNotTheHintOfAFrame(t *testing.T) {
	for _, name := range []string{"share-rope", "sort", "menu.footer", "sidebar"} {
		page := fmt.Sprintf(`<dl class="method"><dt id="%[1]s"><code>Kite.%[1]s</code>()<a class="headerlink" href="#%[1]s">¶</a></dt>
<dd><p>This method of the class is there for the sake of the others alone.</p></dd></dl>`, name)
		var o blocks.Outline
		o.Reset()
		o.Read([]byte(page), false)
		for i := range o.Blocks {
			if b := &o.Blocks[i]; b.Tag == markup.TagDt && (b.Hints|o.Nodes[b.Node].Own)&frame != 0 {
				t.Errorf("the term %s is of the frame by its name", o.BlockText(i))
			}
		}
	}
}

func TestAnIDOfDocBookIsNotTheHintOfAFrame(t *testing.T) {
	const section = `<div class="refentry" id="SQL-SELECT"><h2>SELECT</h2><p>Retrieves rows from a table or a view.</p></div>`
	for head, want := range map[string]bool{"": true, `<meta name="generator" content="DocBook XSL Stylesheets Vsnapshot">`: false} {
		var o blocks.Outline
		o.Reset()
		o.Read([]byte(head+section), false)
		for i := range o.Blocks {
			if got := o.Blocks[i].Hints&frame != 0; got != want {
				t.Errorf("behind %q %q is of a frame: %v, want %v", head, o.BlockText(i), got, want)
			}
		}
	}
}

package body

import (
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

func TestCommentsUnderAnArticleAreNotItsBody(t *testing.T) {
	const second = "In the second week of March the bees of the upper field flew again, and by noon the boards in front of the hives were yellow with the first pollen of the willows."
	const story = "<p>The winter had been long, and nobody in the valley expected more than a third of the hives to live through it.<p>" + second
	const talk = `<p>I have kept bees for years and never saw this happen, thanks for writing it down.`
	for _, c := range []struct {
		name, page string
		kind       int
		talks      bool
	}{
		{"under an article", "<h1>Bees</h1>" + story + `<div class="comments"><div class="comment-body">` + talk + "</div></div>", typeArticle, false},
		{"on a forum", "<h1>Bees</h1>" + story + `<div class="comments"><div class="comment-body">` + talk + "</div></div>", typeArticle + 3, true},
		{"as the whole page", `<h1>Bees</h1><div class="comments">` + talk + story + "</div>", typeArticle, true},
		{"in a name around the article", `<h1>Bees</h1><div class="post comments-open">` + story + talk + "</div>", typeArticle, true},
	} {
		o := &Chooser{Outline: new(blocks.Outline)}
		o.Reset()
		o.Read([]byte(c.page), false)
		m := metadata.Read(o.Head.Markup)
		o.Choose(&m)
		kept := make([]bool, len(o.Blocks))
		for i := range kept {
			kept[i] = true
		}
		o.buf.article = c.kind == typeArticle
		o.dropComments(kept)
		if got := strings.Contains(o.Join(kept), "kept bees for years"); got != c.talks {
			t.Errorf("comments %s are body: %v, want %v", c.name, got, c.talks)
		}
		if !strings.Contains(o.Join(kept), second) {
			t.Errorf("%s: the story is gone", c.name)
		}
	}
}

package purify

import (
	"strings"
	"testing"
)

// certain are hunches that are sure of one type.
func certain(kind int) *[kinds]int32 {
	var h [kinds]int32
	for i := range h {
		h[i] = -4 * Logit
	}
	h[kind] = 2 * Logit
	return &h
}

func TestCommentsUnderAnArticleAreNotItsBody(t *testing.T) {
	story := "<p>" + strings.Join(prose(1, 3, 4), "<p>")
	const talk = `<p>I have kept bees for years and never saw this happen, thanks for writing it down.`
	for _, c := range []struct {
		name, page string
		kind       int
		talks      bool
	}{
		{"under an article", "<h1>Bees</h1>" + story + `<div class="comments"><div class="comment-body">` + talk + "</div></div>", kindArticle, false},
		{"on a forum", "<h1>Bees</h1>" + story + `<div class="comments"><div class="comment-body">` + talk + "</div></div>", kindArticle + 3, true},
		{"as the whole page", `<h1>Bees</h1><div class="comments">` + talk + story + "</div>", kindArticle, true},
		{"in a name around the article", `<h1>Bees</h1><div class="post comments-open">` + story + talk + "</div>", kindArticle, true},
	} {
		o := &chooser{outline: new(outline)}
		o.reset()
		o.read([]byte(c.page), false)
		m := readMetadata(o.head.markup)
		o.choose(&m)
		kept := make([]bool, len(o.blocks))
		for i := range kept {
			kept[i] = true
		}
		o.dropComments(kept, certain(c.kind))
		if got := strings.Contains(o.join(kept), "kept bees for years"); got != c.talks {
			t.Errorf("comments %s are body: %v, want %v", c.name, got, c.talks)
		}
		if !strings.Contains(o.join(kept), prose(1, 3, 4)[1]) {
			t.Errorf("%s: the story is gone", c.name)
		}
	}
}

package body

import (
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify/metadata"
)

// Blocks whose text starts with + are in the body before.
func TestTheTextsOfPostsAreKeptBelowTheirLines(t *testing.T) {
	post := func(line, text string) string {
		return `<div class="post"><p class="by">` + line + `</p><div class="text">` + text + `</div><div class="tools">Quote this</div></div>`
	}
	thread := func(posts ...string) string { return `<div id="posts">` + strings.Join(posts, "") + `</div>` }
	for name, c := range map[string]struct {
		page, kind string
		want       []string
	}{
		"lines alone":            {thread(post("+Ann, 3 May 2011", "Yes."), post("+Ben, 4 May 2011", "<p>No.</p><ul><li>Never</li></ul>")), "forum", []string{"Yes.", "No.", "Never"}},
		"one text":               {thread(post("Ann, 3 May 2011", "+Yes."), post("Ben, 4 May 2011", "No.")), "forum", []string{"No."}},
		"no line, no text":       {thread(post("Ann, 3 May 2011", "Yes."), post("Ben, 4 May 2011", "No.")) + "<p>+Rules: nobody may say a word of wasps here, of hornets or of bears, in any thread.</p>", "forum", nil},
		"most of the page":       {thread(post("Ann, 3 May 2011", "Yes, of course."), post("Ben, 4 May 2011", "No, not at all.")) + "<p>+Rules</p>", "forum", []string{"Yes, of course.", "No, not at all."}},
		"another text, no line":  {`<div class="node"><div class="text">+Who?</div></div>` + thread(post("Ann, 3 May 2011", "Yes."), post("Ben, 4 May 2011", "No.")), "forum", []string{"Yes.", "No."}},
		"most of a text":         {thread(post("+Ann, 3 May 2011", "<p>+Yes, of course</p><p>Well</p>"), post("+Ben, 4 May 2011", "+No.")), "forum", nil},
		"an article":             {thread(post("+Ann, 3 May 2011", "Yes."), post("+Ben, 4 May 2011", "No.")), "article", nil},
		"no days":                {thread(post("+Ann", "Yes."), post("+Ben", "No.")), "forum", nil},
		"time elements":          {thread(post(`+Ann <time datetime="2011-05-03">Tuesday</time>`, "Yes."), post(`+Ben <time datetime="2011-05-04">today</time>`, "No.")), "forum", []string{"Yes.", "No."}},
		"a signature":            {thread(post("+Ann, 3 May 2011", "Yes.<br><br>____<br><br>Buy my honey"), post("+Ben, 4 May 2011", "No.")), "forum", []string{"Yes.", "No."}},
		"comments in comments":   {`<div>` + post("+Ann, 3 May 2011", "Yes.") + `<div><div class="in">` + post("+Ben, 4 May 2011", "No.") + `</div></div></div>`, "forum", []string{"Yes.", "No."}},
		"in a sidebar":           {`<div class="sidebar">` + thread(post("+Ann, 3 May 2011", "Yes."), post("+Ben, 4 May 2011", "No.")) + `</div>`, "forum", nil},
		"the same links in each": {thread(post("+Ann, 3 May 2011", `<a href="/">Home of the bees</a>`), post("+Ben, 4 May 2011", `<a href="/">Home of the bees</a>`)), "forum", nil},
	} {
		got := addedBy(c.page, func(ch *Chooser, kept []bool) {
			ch.count(new(metadata.Declared))
			ch.keepPosts(kept, c.kind)
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: added are %q, want %q", name, got, c.want)
		}
	}
}

package purify

import (
	"strings"
	"testing"
)

// A forum that was copied into plain pages has posts of a few words below lines of the same size.
func TestAThreadHasTheTextOfEachPost(t *testing.T) {
	body := PurifyAt("http://bees.example/thread/3/1100.html", []byte(`<!doctype html><html><head><meta charset="utf-8" /><title>warming a box - bees.example forum archive</title></head>
<body><h1>bees.example forum archive</h1>
<i>This is a read-only mirror of the content originally found on forum.bees.example
(now offline), salvaged from copies of others. A new forum can be found <a href="https://forum.bees.example/" target="_blank">here</a>.</i><br />
<h2>Hives > warming a box</h2>
<div id="posts">
<div class="post">
    <h4>#5421 - keeper64 - Sun Apr 27, 2003 8:01 am</h4>
    <div class="postbody"><span class="postbody">Still much to do, but here's a report:
<br/>
<br/>
<a href="http://www.keeper64.example/box/warm.html" target="_blank">http://www.keeper64.example/box/warm.html</a></span><span class="gensmall"></span></div>
</div>
<div class="post">
    <h4>#5631 - arnold - Sun May 04, 2003 1:18 pm</h4>
    <div class="postbody"><span class="postbody">HA! That's fun! :D
<br/>
<br/>
Does it get any hotter by noon? In fact, did the box give off any warmth to speak of before?</span><span class="gensmall"></span></div>
</div>
</div>
</body></html>`), "text/html").Body
	for _, text := range []string{"Still much to do", "HA! That's fun!", "Does it get any hotter"} {
		if !strings.Contains(body, text) {
			t.Errorf("the body lacks %q:\n%s", text, body)
		}
	}
}

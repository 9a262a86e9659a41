package purify

import (
	"strings"
	"testing"
)

// On a page of two sentences the frame is longer than the body.
func TestAShortPageHasTheSameBodyInTwoEditionsOfAManual(t *testing.T) {
	edition := func(version, year, next string) string {
		return `<title>ndarray.trace — Manual</title><div class="nav"><ul><li><a href=/>Manual v` + version + `</a></li></ul></div>
<div class="sphinxsidebar"><h4>Previous topic</h4><p><a href=/p>ndarray.tostring</a></p><h4>Next topic</h4><p><a href=/n>` + next + `</a></p></div>
<div class="body"><h1>ndarray.trace</h1><dl><dt>ndarray.trace()</dt><dd><p>Return the sum along diagonals of the array.</p></dd></dl></div>
<div class="footer"><ul><li>© Copyright 2008-` + year + `, The community.</li><li>Last updated on Feb 18, ` + year + `.</li><li>Created using a tool ` + version + `.</li></ul></div>`
	}
	a := Purify([]byte(edition("1.17", "2019", "ndarray.transpose")), "text/html").Body
	b := Purify([]byte(edition("1.19", "2020", "ndarray.view")), "text/html").Body
	if a != b {
		t.Errorf("bodies differ:\n%s\n---\n%s", a, b)
	}
	if !strings.Contains(a, "Return the sum along diagonals") || strings.Contains(a, "Copyright") {
		t.Errorf("body is %q, want the sentence and no copyright line", a)
	}
}

func TestAPageThatIsAllFrameKeepsItsText(t *testing.T) {
	for _, page := range []string{
		`<div class="sidebar-wrapper"><h1>Bees in winter</h1><p>Bees keep warm in a cluster and eat the honey of summer.</p></div>`,
		`<footer><p>© 2024 The community of bee keepers in the valley.</p></footer>`,
		`<aside><p>Bees keep warm in a cluster and eat the honey of summer.</p></aside>`,
	} {
		if body := Purify([]byte(page), "text/html").Body; body == "" {
			t.Errorf("Purify(%q) has no body", page)
		}
	}
}

package dedup

import "testing"

// A function of R whose name starts with a dot is another one, however much of its page is the same. The title is what it does.
func TestNamesThatDifferInAMarkAreTwo(t *testing.T) {
	page := func(name string) string {
		return `<html lang="en"><head><title>Trim a sail</title></head><body><main><h1>Trim a sail</h1><div>` + name + `() trims a sail to the wind.</div>
<pre>` + name + `(sail, rope, n = 200)</pre>` + described(0, 6) + `</main></body></html>`
	}
	site := pagesAmong(t, map[string]string{
		"/reference/trim_sail.html": page("trim_sail"), "/reference/dot-trim_sail.html": page(".trim_sail"), "/dev/reference/trim_sail.html": page("trim_sail"),
		"/tips/how-to/trim_sail.html": page("trim_sail"), "/tips/how-to/do-trim_sail.html": page("(trim_sail"),
	})
	areOneByRule(t, site, []twoPages{
		{"/reference/trim_sail.html", "/reference/dot-trim_sail.html", false}, {"/reference/trim_sail.html", "/dev/reference/trim_sail.html", true},
		{"/tips/how-to/trim_sail.html", "/tips/how-to/do-trim_sail.html", true},
	})
}

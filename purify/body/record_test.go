package body

import (
	"testing"

	"gatecrawl.example/gatecrawl/purify/blocks"
)

// A table below text, a table of links, one of many columns, and one in a frame say nothing of the page as a whole.
func TestFactsStandBelowAHeadingAndAboveAllText(t *testing.T) {
	const (
		text  = "<p>In the second week of March the bees of the upper field flew again, and by noon the boards in front of the hives were yellow.</p>"
		table = "<table><tr><td>Keeper</td><td>Ann</td></tr><tr><td>Hives</td><td><a href=/12>twelve</a> in the upper field</td></tr></table>"
	)
	for name, c := range map[string]struct {
		page, last string // the last block of the facts
	}{
		"a table":                {"<h1>Upper field</h1>" + table + "<h2>Notes</h2>" + text, "twelve in the upper field"},
		"below a line":           {"<h1>Upper field</h1><p>Since 1974</p>" + table, "twelve in the upper field"},
		"below a second heading": {"<h1>Upper field</h1><h2>Now</h2>" + table, "twelve in the upper field"},
		"terms":                  {"<h1>Upper field</h1><dl><dt>Keeper</dt><dd>Ann</dd><dd>Ben</dd><dt>Hives</dt><dd><p>twelve</p></dd></dl>", "twelve"},
		"two labels":             {"<h1>Upper field</h1><table><tr><td>1974</td><td>Keeper</td><td><a href=/ann>Ann</a></td></tr></table>", "Ann"},
		"below text":             {"<h1>Upper field</h1>" + text + "<h2>Now</h2>" + table, ""},
		"above text":             {"<h1>Upper field</h1>" + table + text, ""},
		"links":                  {"<h1>Upper field</h1><table><tr><td><a href=/a>Keeper</a></td><td>Ann</td></tr></table>", ""},
		"columns":                {"<h1>Upper field</h1><table><tr><td>Keeper</td><td>Ann</td><td>Ben</td><td>Carl</td></tr></table>", ""},
		"one fact that is text":  {"<h1>Upper field</h1><table><tr><td>Notes</td><td>" + text + "</td></tr></table>", ""},
		"no value":               {"<h1>Upper field</h1><form><table><tr><td>Your name</td><td><input></td></tr></table></form>", ""},
		"a frame":                {"<h1>Upper field</h1><div class=sidebar>" + table + "</div>", ""},
		"no heading":             {table + text, ""},
		"a short table in text":  {"<h1>Upper field</h1><p>This is the field above the mill, with a hedge.</p><p>Bees came in the year of the flood.</p><table><tr><td>Keeper</td><td>Ann</td></tr></table>", ""},
	} {
		ch := &Chooser{Outline: new(blocks.Outline)}
		ch.Reset()
		ch.Read([]byte(c.page), false)
		got := ""
		if _, last := ch.factsOfPage(); last >= 0 {
			got = string(ch.BlockText(last))
		}
		if got != c.last {
			t.Errorf("%s: the facts end with %q, want %q", name, got, c.last)
		}
	}
}

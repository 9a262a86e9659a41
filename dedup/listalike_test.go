package dedup

import (
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/purify"
)

// The members of two classes stand in links; what is said of them does not.
func TestLinksInABodyTellTablesApart(t *testing.T) {
	const members = 40
	table := func(class string, own int) *Text {
		var rows strings.Builder
		for i := range members {
			name := fmt.Sprintf("shared%c%c", 'a'+i%26, 'a'+i/26)
			if i < own {
				name = fmt.Sprintf("%s%c%c", class, 'a'+i%26, 'a'+i/26)
			}
			fmt.Fprintf(&rows, `<tr><td><a href="%s.html">%s accessor of kind %s</a></td><td>takes nothing and returns the value with number%c%c of its own table</td></tr>`,
				name, name, name, 'a'+i%26, 'a'+i/26)
		}
		view := purify.Purify([]byte("<html><head><title>Member list</title></head><body><main><table>"+rows.String()+"</table></main></body></html>"), "text/html")
		view.Type = "documentation"
		text := TextOf(view)
		return &text
	}
	o := DefaultOptions()
	for _, c := range []struct {
		own  int // members that each class has alone
		same bool
	}{{0, true}, {2, true}, {20, false}, {members, false}} {
		a, b := table("first", c.own), table("second", c.own)
		if a.Thin || a.listed < leastSaid {
			t.Fatalf("thin: %v, %d words in links of the body; want a table with both", a.Thin, a.listed)
		}
		x, y := outlineOf(a.Sign()), outlineOf(b.Sign())
		v := o.compareTexts(x, y, a, b)
		if v.j < o.Resemblance {
			t.Fatalf("%d members of their own: resemblance %.2f outside links, want the same words there", c.own, v.j)
		}
		if v.same() != c.same {
			t.Errorf("%d of %d members of their own: same %v, want %v", c.own, members, v.same(), c.same)
		}
	}
}

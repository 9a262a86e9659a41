package dedup

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// enumeration is the page of an enumeration in a version of a manual: few words, next to a menu of all
// types that the version has.
func enumeration(title, says string, types ...string) string {
	var menu strings.Builder
	for _, name := range types {
		fmt.Fprintf(&menu, `<li><a href="%[1]s.html">%[1]s</a></li>`, name)
	}
	return fmt.Sprintf(`<html lang="en"><head><title>%[1]s Reference</title></head><body><nav><ul>%[3]s</ul></nav><article class="main-content"><section>
<h1>%[1]s</h1><pre>public enum %[1]s : String, Codable</pre><p>%[2]s</p></section></article></body></html>`, title, says, menu.String())
}

// A page of few words is one in all versions of a manual, although each version has another menu next
// to it. It is not where it says something else, is about something else, or stands among other
// things.
func TestABriefPageIsOneNextToTheMenusOfItsVersions(t *testing.T) {
	kites := func(others ...string) []string {
		var all []string
		for i := range 24 {
			all = append(all, fmt.Sprintf("Sail%cOfKites", 'A'+i))
		}
		return append(all, others...)
	}
	later := kites("RopeError", "KnotError", "ReelError", "WindError", "TailPayload", "KeelPayload", "BridlePayload", "SparPayload", "LineFactor")
	var garden []string
	for i := range 30 {
		garden = append(garden, fmt.Sprintf("Hedge%cOfGardens", 'A'+i))
	}
	const says = "Describes the types that a tail can have, which decides how a kite turns in the wind."
	pages := map[string]string{
		"/1.0/TailType.html": enumeration("TailType", says, kites("OldTail")...),
		"/2.0/TailType.html": enumeration("TailType", says, later...),
		"/3.0/TailType.html": enumeration("TailType", "Describes what hangs behind: a tail is made of paper, of cloth, of feathers or of nothing.", later...),
		"/2.0/TailKind.html": enumeration("TailType", says, later...),
		"/4.0/TailType.html": enumeration("TailType", says, garden...),
	}
	site := siteAmong(t, 80, pages, slices.Sorted(maps.Keys(pages)))
	for _, c := range []struct {
		other string
		want  bool
	}{{"/2.0/TailType.html", true}, {"/3.0/TailType.html", false}, {"/2.0/TailKind.html", false}, {"/4.0/TailType.html", false}} {
		if j, same := one(site["/1.0/TailType.html"], site[c.other]); same != c.want {
			t.Errorf("%s: one with the page of version 1.0: %v (%.2f), want %v", c.other, same, j, c.want)
		}
	}
}

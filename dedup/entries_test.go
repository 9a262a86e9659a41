package dedup

import (
	"fmt"
	"strings"
	"testing"
)

// A school board has a page for each subject, under one title and next to a list of all subjects that no other page of the
// site has. Two subjects with papers are two pages, two without any are one, and so are one subject's pages in two versions of
// the site.
func TestListsOfOneFormAreTwoByTheirEntries(t *testing.T) {
	subjects := strings.Fields("Arabic Biology Chemistry Computing English Geography History Islamiat Mathematics Pashto Physics Urdu Drawing Statistics Economics Civics")
	var menu strings.Builder
	for class := range 4 {
		for i, s := range subjects {
			fmt.Fprintf(&menu, `<li><a href="papers-class=%d%%26id=%d.html">%s for class %d</a></li>`, class, i, s, class)
		}
	}
	form := func(subject string, papers ...string) string {
		var rows strings.Builder
		for _, p := range papers {
			fmt.Fprintf(&rows, `<tr><td>Certificate</td><td>%[1]s</td><td>%[2]s</td><td><a href="/files/%[2]s.pdf">download</a></td></tr>`, subject, p)
		}
		return fmt.Sprintf(`<html lang="en"><head><title>Sample Papers</title></head><body><main><div class="col-md-4 sidebar"><div class="widget"><h4>Sample Categories</h4><ul>%s</ul></div></div>
<div class="col-md-8 content"><h4>Certificate / %s / Sample Papers</h4><table><tr><th>Class</th><th>Subject Category</th><th>Subject Name</th><th>Download Link</th></tr>%s</table></div></main></body></html>`, menu.String(), subject, rows.String())
	}
	pages := map[string]string{
		"papers-class=1%26id=58.html":      form("Biology", "Biology-Objective", "Biology-Subjective"),
		"papers-class=2%26id=13.html":      form("English", "English-Objective", "English-Subjective"),
		"papers-class=1%26id=59.html":      form("Civics"),
		"papers-class=2%26id=14.html":      form("Arabic"),
		"2019/papers-class=1%26id=58.html": form("Biology", "Biology-Objective-2019"),
		"papers?class=1&id=58":             form("Biology", "Biology-Objective", "Biology-Subjective"),
		"papers?class=2&id=13":             form("English", "English-Objective", "English-Subjective"),
	}
	paths := []string{"papers-class=1%26id=58.html", "papers-class=2%26id=13.html", "papers-class=1%26id=59.html", "papers-class=2%26id=14.html", "2019/papers-class=1%26id=58.html", "papers?class=1&id=58", "papers?class=2&id=13"}
	texts := siteAmong(t, 120, pages, paths)
	areOneByRule(t, texts, []twoPages{{paths[0], paths[1], false}, {paths[2], paths[3], true}, {paths[0], paths[4], true}, {paths[5], paths[6], false}})
}

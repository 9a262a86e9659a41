package gatecrawl

import (
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// RuleMirror is the rule of URLs that are left out because another site has what
// theirs has.
const RuleMirror = mirror.RefusalRule

// elsewhere returns the canonical URL that a page names if that is on another site: a hint that
// this site is the copy.
func elsewhere(of weburl.URL, view *purify.DocView) string {
	if view.Canonical == "" {
		return ""
	}
	to, err := page.Base(of, view).Parse(view.Canonical)
	if err != nil || to.Origin() == of.Origin() {
		return ""
	}
	return to.String()
}

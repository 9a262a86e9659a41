package gatecrawl

import (
	"gatecrawl/frontier"
	"gatecrawl/purify"
)

// elsewhere returns the address that a page names as its canonical one, where
// that is on another site: a hint that this site is the copy.
func elsewhere(page frontier.URL, view *purify.DocView) string {
	if view.Canonical == "" {
		return ""
	}
	base := page
	if b, err := page.Parse(view.Base); err == nil && view.Base != "" {
		base = b
	}
	to, err := base.Parse(view.Canonical)
	if err != nil || to.Origin() == page.Origin() {
		return ""
	}
	return to.String()
}

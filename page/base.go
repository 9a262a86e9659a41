package page

import (
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
)

// Base returns what the links of a page are relative to: what its base element says, which
// may be relative to the page's own URL itself, or else that URL.
func Base(of weburl.URL, view *purify.DocView) weburl.URL {
	if view.Base == "" {
		return of
	}
	base, err := of.Parse(view.Base)
	if err != nil {
		return of
	}
	return base
}

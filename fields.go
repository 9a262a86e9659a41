package gatecrawl

import (
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// ResolveFields makes the URLs in the fields of a page absolute and writes them like the page's
// links, so that they compare with the URLs of records. A value that is not the URL of a page,
// such as mailto:me@example.org, stays as it is. For a file, whose own URL is the zero URL,
// only its base element says what its URLs are relative to.
func ResolveFields(view *purify.DocView, at weburl.URL) {
	if len(view.Fields) == 0 {
		return
	}
	base := page.Base(at, view)
	view.Fields.Resolve(func(ref string) string {
		if base.IsZero() {
			return ""
		}
		to, err := base.Parse(weburl.EncodeQuery(strings.TrimSpace(ref), view.Charset))
		if err != nil {
			return ""
		}
		return to.String()
	})
}

package purify

import (
	"strings"

	"gatecrawl.example/gatecrawl/fetch/feed"
	"gatecrawl.example/gatecrawl/purify/charset"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/words"
)

// FeedLayout is the layout of all feeds, which have no tags to hash. It distinguishes the view of a
// feed from that of a page.
const FeedLayout = 0xfeed

// maxFeedItems is how many items of a feed are read.
const maxFeedItems = 1_000

// Feed returns the view of an RSS or Atom feed: its title, the titles and texts of its items as the
// body, and a link for each item with the item's title as its text. The base is that of its first
// element (xml:base). A broken feed is read up to the fault.
func Feed(page []byte, contentType string) *DocView {
	text, name := charset.Decode(page, contentType)
	f := feed.Parse(text, maxFeedItems)
	var body strings.Builder
	var links []Link
	for _, a := range f.Articles {
		title := bare(a.Title)
		if a.Ref != "" {
			links = append(links, Link{URL: a.Ref, Text: words.Cut(title, maxWords), Body: true})
		}
		for _, part := range []string{title, bare(a.Text)} {
			if part != "" {
				body.WriteString(part + "\n\n")
			}
		}
	}
	view := Reader{}.plainView([]byte(body.String()), name)
	view.Type, view.Role, view.Title, view.Links = "listing", "hub", bare(f.Title), links
	view.Base, view.Layout = f.Base, FeedLayout
	return view
}

// bare returns the text of an item, which may be HTML, without its mark-up.
func bare(html string) string {
	if !strings.ContainsAny(html, "<&") {
		return html
	}
	var out []byte
	l := markup.NewLexer([]byte(html), false)
	raw := false
	for kind := l.Next(); kind != markup.TokenEnd; kind = l.Next() {
		switch kind {
		case markup.TokenText:
			if !raw {
				out = markup.Unescape(out, l.Text)
			}
		case markup.TokenStart:
			raw = l.Tag == markup.TagScript || l.Tag == markup.TagStyle
			out = append(out, ' ')
		case markup.TokenClose:
			raw = false
			out = append(out, ' ')
		}
	}
	return strings.TrimSpace(string(out))
}

package robots

import (
	"net/http"
	"strings"
	"time"
)

// Directives are what a page asks crawlers not to do.
type Directives struct {
	NoIndex  bool // keep the page
	NoFollow bool // follow its links
}

// and combines what both ask for.
func (d Directives) and(o Directives) Directives {
	return Directives{d.NoIndex || o.NoIndex, d.NoFollow || o.NoFollow}
}

// ParseDirectives reads the content of a robots meta element, such as
// "noindex, nofollow". It knows noindex, nofollow, none, and unavailable_after,
// which is noindex from its date on; the other words are about search results.
func ParseDirectives(content string, now time.Time) Directives {
	var d Directives
	for item, rest := range listItems(content) {
		d = d.and(oneDirective(item, rest, now))
	}
	return d
}

// ParseTag reads the X-Robots-Tag fields of an answer: the directives for all crawlers and those
// for the crawler with this product token. A name with a colon limits the rest of its field, up to
// the next name, to one crawler.
func ParseTag(h http.Header, token string, now time.Time) Directives {
	var d Directives
	for _, field := range h["X-Robots-Tag"] {
		ours := true
		for item, rest := range listItems(field) {
			if agent, list, named := strings.Cut(item, ":"); named && isAgent(agent) {
				ours = strings.EqualFold(strings.TrimSpace(agent), token)
				item = list
			}
			if ours {
				d = d.and(oneDirective(item, rest, now))
			}
		}
	}
	return d
}

// listItems yields the items of a list, each with the rest of the list, since a date has a comma
// too.
func listItems(list string) func(yield func(item, rest string) bool) {
	return func(yield func(item, rest string) bool) {
		for list != "" {
			item, after, _ := strings.Cut(list, ",")
			if !yield(item, list) {
				return
			}
			list = after
		}
	}
}

// isAgent reports whether the text before a colon is a crawler's name: one word, and not one
// that has a value.
func isAgent(s string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	switch s {
	case "", "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return false
	}
	return 'a' <= s[0] && s[0] <= 'z' && !strings.ContainsAny(s, " \t")
}

func oneDirective(item, rest string, now time.Time) Directives {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(item)), ":")
	switch strings.TrimSpace(word) {
	case "noindex":
		return Directives{NoIndex: true}
	case "nofollow":
		return Directives{NoFollow: true}
	case "none":
		return Directives{NoIndex: true, NoFollow: true}
	case "unavailable_after":
		_, date, _ := strings.Cut(rest[strings.Index(strings.ToLower(rest), "unavailable_after"):], ":")
		if t, ok := anyDate(date); ok && !now.Before(t) {
			return Directives{NoIndex: true}
		}
	}
	return Directives{}
}

// dateForms are those that site owners use: RFC 822, RFC 850, ISO 8601.
var dateForms = []string{
	time.RFC1123, time.RFC1123Z, time.RFC850, "Mon, 2 Jan 2006 15:04:05 MST",
	"2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04:05 -0700", "2-Jan-06 15:04:05 MST", "2-Jan-2006 15:04:05 MST",
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05 MST", "2006-01-02 15:04:05", time.DateOnly, "2 Jan 2006",
}

// anyDate reads the date that s starts with: up to the first comma, or to the second if one
// follows the day of the week.
func anyDate(s string) (time.Time, bool) {
	first, rest, _ := strings.Cut(s, ",")
	second, _, _ := strings.Cut(rest, ",")
	for _, text := range []string{first, first + "," + second} {
		for _, form := range dateForms {
			if t, err := time.Parse(form, strings.TrimSpace(text)); err == nil {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

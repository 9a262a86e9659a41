package purify

import (
	"strings"
	"time"
)

// dayLayouts are the forms of a date that metadata comes in.
var dayLayouts = []string{
	"2006-01-02", "2006/01/02", "2006.01.02", "20060102", "2006-1-2", "2006/1/2", "2006年1月2日",
	"January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "Mon, 2 Jan 2006",
	"Monday, January 2, 2006", "Mon Jan 2 15:04:05 2006", "Jan. 2, 2006",
}

// day reads a date in any of dayLayouts, with or without a time after it, and
// returns it as YYYY-MM-DD, or nothing. Years before 1980 and after 2100 are
// taken for placeholders.
func day(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 64 {
		return ""
	}
	for _, layout := range dayLayouts {
		text := s
		if len(layout) <= 10 && len(text) > len(layout) {
			if i := strings.IndexAny(text, "T "); i >= 6 {
				text = text[:i]
			}
		} else if strings.HasPrefix(layout, "Mon, ") && len(text) > 16 {
			text = strings.TrimSpace(text[:16])
		}
		t, err := time.Parse(layout, text)
		if err == nil && t.Year() >= 1980 && t.Year() <= 2100 {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}

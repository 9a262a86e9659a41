// Package style has the style of the pages about a crawl, live or in a file: the style sheet, for
// light and dark and for wide and narrow screens, and functions that format numbers and texts of
// others.
package style

import (
	_ "embed" // of the sheet
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"gatecrawl.example/gatecrawl/humanize"
)

// Sheet is the style sheet. It loads no other files.
//
//go:embed style.css
var Sheet string

// Serve answers with the style sheet.
func Serve(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "style.css", time.Time{}, strings.NewReader(Sheet))
}

// Number writes a whole number with commas between the thousands.
func Number(v any) string {
	return humanize.Thousands(fmt.Sprint(v))
}

// Size writes bytes, an int64 or a float64, in the unit that suits them.
func Size(v any) string {
	var n float64
	switch v := v.(type) {
	case int64:
		n = float64(v)
	case float64:
		n = v
	}
	if n < 1000 {
		return fmt.Sprintf("%.0f B", n)
	}
	return humanize.Size(int64(n))
}

// Clock writes a time, given as time.Time or a pointer to one, in UTC, since the viewer may be in
// another time zone.
func Clock(v any) string {
	switch t := v.(type) {
	case time.Time:
		return t.UTC().Format("2006-01-02 15:04:05 UTC")
	case *time.Time:
		return t.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return ""
}

// Plain returns a text of others without invisible characters, such as those that change the
// direction of a line. The template escapes the rest.
func Plain(v any) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r == '\ufeff' {
			return '\ufffd'
		}
		return r
	}, fmt.Sprint(v))
}

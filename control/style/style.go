// Package style is what the pages about a crawl look like, live or in a file: the style sheet, for
// light and dark, wide and narrow, and how numbers and what strangers wrote are written.
package style

import (
	_ "embed" // of the sheet
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// Sheet is the style sheet. It loads nothing.
//
//go:embed style.css
var Sheet string

// Serve answers with the style sheet.
func Serve(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "style.css", time.Time{}, strings.NewReader(Sheet))
}

// Number writes a whole number with commas between the thousands.
func Number(v any) string {
	text := fmt.Sprint(v)
	digits := strings.TrimPrefix(text, "-")
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return text[:len(text)-len(digits)] + b.String()
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
	for _, u := range []struct {
		name string
		of   float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if n >= u.of {
			return fmt.Sprintf("%.1f %s", n/u.of, u.name)
		}
	}
	return fmt.Sprintf("%.0f B", n)
}

// Clock writes a moment, or *moment, in UTC: who looks may sit elsewhere.
func Clock(v any) string {
	switch t := v.(type) {
	case time.Time:
		return t.UTC().Format("2006-01-02 15:04:05 UTC")
	case *time.Time:
		return t.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return ""
}

// Plain is what others wrote, without the characters that turn the direction of a line or
// are not to be seen. The template escapes the rest.
func Plain(v any) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r == '\ufeff' {
			return '\ufffd'
		}
		return r
	}, fmt.Sprint(v))
}

package configs

import (
	"fmt"
	"strings"
	"time"
)

// QuietHours are the hours of a day in which a crawl sends no requests.
type QuietHours []quietSpan

// A quietSpan is a part of a day, in minutes since midnight; one that ends before it starts
// spans midnight.
type quietSpan struct{ from, to int }

// ParseQuietHours reads values of the setting quiet-hours, such as 08:00-18:00.
func ParseQuietHours(texts []string) (QuietHours, error) {
	var q QuietHours
	for _, text := range texts {
		from, to, ok := strings.Cut(text, "-")
		a, err := time.Parse("15:04", strings.TrimSpace(from))
		b, err2 := time.Parse("15:04", strings.TrimSpace(to))
		if !ok || err != nil || err2 != nil || a.Equal(b) {
			return nil, fmt.Errorf("%q: want two times of the day, such as 08:00-18:00", text)
		}
		q = append(q, quietSpan{a.Hour()*60 + a.Minute(), b.Hour()*60 + b.Minute()})
	}
	return q, nil
}

// At reports whether a time, on its own clock, is in the quiet hours.
func (q QuietHours) At(t time.Time) bool {
	m := t.Hour()*60 + t.Minute()
	for _, s := range q {
		if s.from < s.to && s.from <= m && m < s.to || s.from > s.to && (m >= s.from || m < s.to) {
			return true
		}
	}
	return false
}

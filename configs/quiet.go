package configs

import (
	"fmt"
	"strings"
	"time"
)

// QuietHours are the hours of the day in which a crawl sends no requests.
type QuietHours []quietSpan

// A quietSpan is a part of a day, in minutes since midnight; if it ends before it starts it
// includes midnight.
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

// Until returns the end of the quiet hours that t is in, on t's own clock, or the zero time if it
// is in none. If they fill the whole day they end on the next day at the earliest.
func (q QuietHours) Until(t time.Time) (end time.Time) {
	for at := t; at.Sub(t) < 24*time.Hour; {
		next := q.endOf(at)
		if next.IsZero() {
			break
		}
		if !next.After(at) { // when the clock is changed, a time of the day may come twice or not at all
			next = at.Truncate(time.Minute).Add(time.Minute)
		}
		end, at = next, next // another span may continue there
	}
	return end
}

// endOf returns the end of the span that t is in, or the zero time if it is in none.
func (q QuietHours) endOf(t time.Time) time.Time {
	m := t.Hour()*60 + t.Minute()
	for _, s := range q {
		day := t.Day()
		switch {
		case s.from < s.to && s.from <= m && m < s.to, s.from > s.to && m < s.to:
		case s.from > s.to && m >= s.from:
			day++
		default:
			continue
		}
		return time.Date(t.Year(), t.Month(), day, s.to/60, s.to%60, 0, 0, t.Location())
	}
	return time.Time{}
}

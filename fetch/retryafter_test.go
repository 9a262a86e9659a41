package fetch

import (
	"net/http"
	"testing"
	"time"
)

var retryNow = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestRetryAfter(t *testing.T) {
	for _, c := range []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"120", 2 * time.Minute, true},
		{" 0 ", 0, true},
		{"Fri, 02 Jan 2026 03:05:05 GMT", time.Minute, true},
		{"Friday, 02-Jan-26 03:05:05 GMT", time.Minute, true},
		{"Thu, 01 Jan 2026 03:05:05 GMT", 0, true},
		{"Fri, 02 Jan 9999 03:05:05 GMT", longestWait, true},
		{"99999999999999999999999", longestWait, true},
		{"", 0, false},
		{"-5", 0, false},
		{"1.5", 0, false},
		{"soon", 0, false},
	} {
		got, ok := RetryAfter(http.Header{"Retry-After": {c.value}}, retryNow)
		if got != c.want || ok != c.ok {
			t.Errorf("RetryAfter(%q) = %v, %v, want %v, %v", c.value, got, ok, c.want, c.ok)
		}
	}
}

func TestADateIsHeldAgainstTheClockOfItsServer(t *testing.T) {
	const asked = "Fri, 02 Jan 2026 03:05:05 GMT"
	for date, want := range map[string]time.Duration{
		"Fri, 02 Jan 2026 03:04:05 GMT": time.Minute,
		"Fri, 02 Jan 2026 03:05:06 GMT": 0,
		"no date":                       time.Minute, // by retryNow
		"":                              time.Minute,
	} {
		h := http.Header{"Retry-After": {asked}, "Date": {date}}
		for _, off := range []time.Duration{-time.Hour, 0, time.Hour} {
			if off != 0 && len(date) < 10 {
				continue // there is no other clock than ours
			}
			if got, ok := RetryAfter(h, retryNow.Add(off)); got != want || !ok {
				t.Errorf("RetryAfter with Date %q and our clock off by %v = %v, %v; want %v", date, off, got, ok, want)
			}
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("120")
	f.Add("Fri, 02 Jan 2026 03:05:05 GMT")
	f.Fuzz(func(t *testing.T, value string) {
		d, ok := RetryAfter(http.Header{"Retry-After": {value}}, retryNow)
		if d < 0 || d > longestWait || !ok && d != 0 {
			t.Errorf("RetryAfter(%q) = %v, %v", value, d, ok)
		}
	})
}

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

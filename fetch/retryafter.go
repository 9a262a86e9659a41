package fetch

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait bounds what RetryAfter returns, so that adding it to a time
// cannot overflow. A caller's own bound is far below.
const longestWait = 365 * 24 * time.Hour

// RetryAfter returns how long a server asks to be left alone (RFC 9110, section 10.2.3): from
// seconds or from a date, 0 for a date that has passed, at most a year. A date is compared with
// the server's own clock if the answer has it (Date), and otherwise with now: ours may be
// wrong. It returns false if the header is absent or makes no sense. How long to wait at most
// is the caller's decision.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0, false
	}
	if strings.Trim(v, "0123456789") == "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n > int64(longestWait/time.Second) {
			return longestWait, true
		}
		return time.Duration(n) * time.Second, true
	}
	t, err := http.ParseTime(v)
	if err != nil {
		return 0, false
	}
	if theirs, err := http.ParseTime(h.Get("Date")); err == nil {
		now = theirs
	}
	return min(max(t.Sub(now), 0), longestWait), true
}

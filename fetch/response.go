package fetch

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A Response is a server's answer to one request.
type Response struct {
	URL         weburl.URL
	Status      int
	Header      http.Header
	ContentType string        // media type, lower case, without parameters; sniffed if the header has none
	Body        []byte        // after decompression, at most Options.MaxBody bytes, of a sitemap Options.MaxSitemap
	Truncated   bool          // the body was longer than that, or ended before its declared length
	Addr        string        // the address that answered, host:port
	Started     time.Time     // when the request was sent
	Took        time.Duration // until the last byte
	Wire        int64         // bytes of the body as transferred, before decompression

	// OtherCookies is set if another request for URL would carry other cookies than this one did,
	// since the answer has set or removed some that are kept.
	OtherCookies bool

	// KeptCookies is set if another request for URL would carry cookies that an answer has set.
	KeptCookies bool

	// Protocols are the protocols of the answer, as WARC-Protocol names them: http/1.1 or h2, and
	// tls/1.3 or the like if TLS was used. Cipher is its cipher suite, by its IANA name.
	Protocols []string
	Cipher    string

	// Asked is the header of the request, without Host and without what Options.Grants has added
	// for the site. It must not be changed.
	Asked http.Header
}

// Location returns the target of a redirect as the server wrote it, or "".
func (r *Response) Location() string {
	switch r.Status {
	case 301, 302, 303, 307, 308:
		return r.Header.Get("Location")
	}
	return ""
}

// IsHTML reports whether the body is an HTML page: text/html or XHTML, as the server said or,
// if it said nothing, as the body looks.
func (r *Response) IsHTML() bool {
	return r.ContentType == "text/html" || r.ContentType == "application/xhtml+xml"
}

// IsText reports whether the body is made of characters: see IsTextType.
func (r *Response) IsText() bool { return IsTextType(r.ContentType) }

// MediaType is the Content-Type header with its parameters, or where the server sent none
// the type that the body looks like.
func (r *Response) MediaType() string {
	if sent := r.Header.Get("Content-Type"); sent != "" {
		return sent
	}
	return r.ContentType
}

// Charset is the charset that the Content-Type header names, as written, or "".
func (r *Response) Charset() string {
	_, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return params["charset"]
}

// longestWait is the most that RetryAfter returns, so that adding it to a time can't overflow. The
// limits of callers are far below.
const longestWait = 365 * 24 * time.Hour

// RetryAfter returns how long a server asks to be left alone (RFC 9110, section 10.2.3): from
// seconds or from a date, 0 for a date that has passed, at most a year. A date is compared with the
// server's own clock if the answer has one (Date), and otherwise with now, since our clock may be
// wrong. It returns false if the header is absent or invalid. The caller decides how long to wait
// at most.
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

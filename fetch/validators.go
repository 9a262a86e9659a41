package fetch

import (
	"net/http"
	"strings"
)

// maxValidator is the longest ETag that is kept, in bytes. Real ones have a few dozen.
const maxValidator = 512

// Validators identify a version of a page (RFC 9110, section 8.8). The zero Validators identify
// none.
type Validators struct {
	ETag         string // as sent, with its quotes and its W/
	LastModified string // as sent, an HTTP date
}

// IsZero reports whether no version is named.
func (v Validators) IsZero() bool { return v == Validators{} }

// Validators returns what identifies this answer in a later request. An answer that was cut has
// none, since "not modified" would refer to the whole.
func (r *Response) Validators() Validators {
	var v Validators
	if r.Truncated {
		return v
	}
	if tag := strings.TrimSpace(r.Header.Get("ETag")); isETag(tag) {
		v.ETag = tag
	}
	if date := strings.TrimSpace(r.Header.Get("Last-Modified")); len(date) <= maxValidator {
		if _, err := http.ParseTime(date); err == nil {
			v.LastModified = date
		}
	}
	return v
}

// isETag reports whether s is an entity tag (RFC 9110, section 8.8.3).
func isETag(s string) bool {
	s = strings.TrimPrefix(s, "W/")
	if len(s) < 2 || len(s) > maxValidator || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	for _, c := range []byte(s[1 : len(s)-1]) {
		if c < '!' || c == '"' || c == 0x7f {
			return false
		}
	}
	return true
}

// conditional returns the headers of a request for a version other than the known one. It does not
// change header.
func (v Validators) conditional(header http.Header) http.Header {
	if v.IsZero() {
		return header
	}
	h := header.Clone()
	if v.ETag != "" {
		h.Set("If-None-Match", v.ETag)
	}
	if v.LastModified != "" {
		h.Set("If-Modified-Since", v.LastModified)
	}
	return h
}

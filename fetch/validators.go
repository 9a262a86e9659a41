package fetch

import (
	"net/http"
	"strings"
)

// maxValidator bounds what is kept of an ETag, in bytes. Real ones have some
// dozens.
const maxValidator = 512

// Validators name the version of a page that is known (RFC 9110, section 8.8).
// The zero Validators name none.
type Validators struct {
	ETag         string // as sent, with its quotes and its W/
	LastModified string // as sent, an HTTP date
}

// IsZero reports whether no version is named.
func (v Validators) IsZero() bool { return v == Validators{} }

// Validators returns what a later request can identify this answer by. An answer that was cut
// has none: "not modified" would refer to the whole.
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

// conditional returns the headers of a request that asks for another version
// than the known one. It leaves header as it is.
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

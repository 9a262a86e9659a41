package fetch

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"gatecrawl/frontier"
)

// A Response is a server's answer to one request.
type Response struct {
	URL         frontier.URL
	Status      int
	Header      http.Header
	ContentType string        // media type, lower case, without parameters; sniffed where the header has none
	Body        []byte        // after decompression, at most Options.MaxBody bytes, of a sitemap Options.MaxSitemap
	Truncated   bool          // the body was longer than that, or ended before its declared length
	Addr        string        // the address that answered, host:port
	Started     time.Time     // when the request was sent
	Took        time.Duration // until the last byte
	Wire        int64         // bytes of body on the wire, before decompression
}

// Location returns the target of a redirect as the server wrote it, or "".
func (r *Response) Location() string {
	switch r.Status {
	case 301, 302, 303, 307, 308:
		return r.Header.Get("Location")
	}
	return ""
}

// IsHTML reports whether the body is an HTML page: text/html or XHTML, as the
// server said or, where it said nothing, as the body looks.
func (r *Response) IsHTML() bool {
	return r.ContentType == "text/html" || r.ContentType == "application/xhtml+xml"
}

// IsText reports whether the body is made of characters: any text type, XML,
// JSON, or JavaScript.
func (r *Response) IsText() bool {
	t := r.ContentType
	if strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+xml") || strings.HasSuffix(t, "+json") {
		return true
	}
	switch t {
	case "application/xml", "application/json", "application/javascript", "application/x-javascript":
		return true
	}
	return false
}

// mediaType returns the media type of a body: the header's, unless it names none
// or the body cannot be what it says; then what the body's first 512 bytes look
// like.
func mediaType(header string, body []byte) string {
	t, _, _ := strings.Cut(header, ";")
	t = strings.ToLower(strings.TrimSpace(t))
	if !namesType(t) {
		t = sniff(body)
	}
	switch t {
	case "text/html", "text/plain", "application/xhtml+xml":
		// No text begins like a picture, an archive or a PDF.
		if seen := sniff(body); seen != "" && !strings.HasPrefix(seen, "text/") && seen != unknownType {
			return seen
		}
	case unknownType:
		if sniff(body) == "text/html" {
			return "text/html" // what many servers say of files they do not know
		}
	case "application/xml", "text/xml":
		if bytes.Contains(bytes.ToLower(body[:min(len(body), sniffed)]), []byte("<html")) {
			return "application/xhtml+xml"
		}
	}
	return t
}

const (
	unknownType = "application/octet-stream" // bytes of whatever kind
	sniffed     = 512                        // bytes of a body that are looked at
)

// sniff returns what a body looks like; "" for an empty one.
func sniff(body []byte) string {
	if len(body) == 0 {
		return ""
	}
	// A byte order mark hides the tag behind it from the sniffer.
	t := http.DetectContentType(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	t, _, _ = strings.Cut(t, ";")
	return t
}

// namesType reports whether t is a media type that says something. Browsers
// sniff for the same exceptions (WHATWG MIME Sniffing, section 7).
func namesType(t string) bool {
	switch t {
	case "unknown/unknown", "application/unknown", "*/*":
		return false
	}
	i := strings.IndexByte(t, '/')
	return i > 0 && i < len(t)-1 && !strings.ContainsAny(t, " ,\t")
}

package robots

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// ReadFile reads a robots.txt as a site might send it, up to the length that counts.
func ReadFile(r io.Reader) (File, error) {
	// One byte more, so that Parse sees that the last line was cut.
	body, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return File{}, fmt.Errorf("read robots.txt: %w", err)
	}
	return File{Status: http.StatusOK, Body: body}, nil
}

// CheckRaw is Check for a URL as a person wrote it, which need not be canonical: its path and query
// are compared as they are, as in Google's parser. A URL without a path has the path "/".
func (r *Rules) CheckRaw(token, address string) Verdict {
	return r.check(token, rawPath(address))
}

// rawPath returns path and query of a URL without parsing it.
func rawPath(address string) string {
	rest := strings.TrimPrefix(address, "//")
	// "://" within a path or a query does not end a scheme.
	if scheme, after, ok := strings.Cut(rest, "://"); ok && !strings.ContainsAny(scheme, "/?;#") {
		rest = after
	}
	rest, _, _ = strings.Cut(rest, "#")
	i := strings.IndexAny(rest, "/?;")
	if i < 0 {
		return "/"
	}
	return "/" + strings.TrimPrefix(rest[i:], "/")
}

// ProductToken returns the product token (RFC 9309, section 2.2.1) that a crawler's name starts
// with: "FooBot" for "FooBot/2.1". It returns name unchanged if more words follow, since no
// user-agent line can match a name with a space.
func ProductToken(name string) string {
	if strings.ContainsAny(name, " \t") {
		return name
	}
	return productToken(name)
}

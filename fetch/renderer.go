package fetch

import (
	"context"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A Renderer returns pages as they are after their scripts ran. Its methods may be called from many
// goroutines.
type Renderer interface {
	// Render runs the scripts of a fetched page and returns the resulting HTML in UTF-8. The page
	// itself is not requested again; what its scripts request is, as far as m allows. If there is
	// an error, only the page as it was fetched is available.
	Render(ctx context.Context, page *Response, m Manners) ([]byte, error)

	// Close stops what the renderer has started.
	Close() error
}

// Manners say how the scripts of a page may use its host.
type Manners struct {
	May   func(weburl.URL) bool // called before each request to the page's own origin
	Pause time.Duration         // least time from one request to a host to the next
}

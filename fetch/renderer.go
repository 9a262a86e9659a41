package fetch

import (
	"context"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A Renderer returns pages as they stand after their scripts ran. Its methods
// may be called from many goroutines.
type Renderer interface {
	// Render runs the scripts of a page that was fetched and returns the HTML that they leave,
	// in UTF-8. The page itself is not requested again; what its scripts ask for is, under the
	// given policy. The error says why there is no HTML; then there is only the page as it was
	// fetched.
	Render(ctx context.Context, page *Response, m Manners) ([]byte, error)

	// Close ends what the renderer started.
	Close() error
}

// Manners are how the scripts of a page may use its host.
type Manners struct {
	May   func(weburl.URL) bool // asked before each request to the page's own origin
	Pause time.Duration         // from one request to a host to the next
}

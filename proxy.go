package gatecrawl

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A ProxyError ends a run whose proxy has stopped answering or refuses the login. URLs that could
// not be fetched are still queued.
type ProxyError struct {
	Login bool // the proxy wants a login, or another one
	Err   error
}

// Error says what is wrong with the proxy.
func (e *ProxyError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the proxy.
func (e *ProxyError) Unwrap() error { return e.Err }

const (
	// proxyPatience is how long a proxy may be unreachable, for example during a restart, before
	// the run ends.
	proxyPatience = 15 * time.Second

	// proxyRest is how long a worker waits before it hands back a URL that could not be fetched, so
	// that requests to an unreachable proxy are not repeated without a pause.
	proxyRest = time.Second
)

// A proxy knows since when the crawl's proxy has failed. No page and no site gets a failure for it:
// otherwise every URL would be recorded as failed while the proxy is away.
type proxy struct {
	mu    sync.Mutex
	since time.Time // zero: it works, or there is none
}

// answered notes that the proxy works.
func (p *proxy) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since = time.Time{}
}

// failed notes that the proxy failed and waits for proxyRest, so that the caller can hand its URL
// back. It returns a *ProxyError if retry is false or the proxy has failed for proxyPatience.
func (p *proxy) failed(ctx context.Context, why error, retry bool) error {
	p.mu.Lock()
	now := time.Now()
	if p.since.IsZero() {
		p.since = now
	}
	away := now.Sub(p.since)
	p.mu.Unlock()
	switch {
	case !retry:
		return &ProxyError{true, why}
	case away >= proxyPatience:
		return &ProxyError{false, fmt.Errorf("%w, for %v", why, away.Round(time.Second))}
	}
	select {
	case <-ctx.Done():
	case <-time.After(proxyRest):
	}
	return nil
}

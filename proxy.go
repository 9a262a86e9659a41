package gatecrawl

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A ProxyError ends a run whose proxy does not answer any more, or does not take the login. What
// could not be fetched is still queued.
type ProxyError struct {
	Login bool // it wants a login, or another one
	Err   error
}

// Error says what is wrong with the proxy.
func (e *ProxyError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the proxy.
func (e *ProxyError) Unwrap() error { return e.Err }

const (
	// proxyPatience is how long a proxy may be away, as it is while it is started again, before
	// the run ends. Without an end a run would wait for ever; without patience it would end for
	// a second.
	proxyPatience = 15 * time.Second

	// proxyRest is how long a worker waits before a URL that could not be fetched is queued
	// again, so that a proxy that is away is not asked without a pause.
	proxyRest = time.Second
)

// A proxy knows since when the crawl's proxy has failed. No page and no site is blamed for it:
// all would be recorded as failed for as long as the proxy is away.
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

// failed notes that it does not, and waits for a moment, so that the caller can hand its URL
// back. The error is a *ProxyError where there is no use in waiting any longer.
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

package crawl_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// proxied is the site behind a proxy, whose pages link to each other in a chain of so many.
func proxied(pages int, asked *atomic.Int32) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := 0
		if fmt.Sscanf(r.URL.Path, "/%d", &n); r.URL.Path == "/robots.txt" || n >= pages {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<title>Page %d</title><p>%s</p><a href=/%d>on</a>", n, strings.Repeat(fmt.Sprintf("word%d of%d it%d ", n, n*n, 7*n), 30), n+1)
	})
}

// proxyAt serves the site at an address.
func proxyAt(t *testing.T, address string, site http.Handler) (shut func(), at string) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: site}
	go s.Serve(l) // until shut
	return func() { s.Close() }, l.Addr().String()
}

func TestNoPageIsBlamedForAProxyThatIsAway(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	site := proxied(6, &asked)
	shut, at := proxyAt(t, "127.0.0.1:0", site)
	s := quick("http://site.test/")
	s.Contact, s.Proxy, s.MaxPages, s.Retries = "me@example.org", "http://"+at, 6, 0 // a page that is blamed has failed
	c := open(t, t.TempDir(), s, crawl.Options{})
	away := make(chan func())
	c.OnRecord(func(page.Record) {
		if asked.Load() == 3 {
			shut()
			time.AfterFunc(2500*time.Millisecond, func() { // a crawl asks it again each second
				again, _ := proxyAt(t, at, site)
				away <- again
			})
			asked.Add(1)
		}
	})
	ended, err := c.Run(t.Context())
	(<-away)()
	if ended != gatecrawl.PageLimit || err != nil {
		t.Errorf("Run = %q, %v; want %q, since the proxy was away only for a moment", ended, err, gatecrawl.PageLimit)
	}
	if n := c.Totals(); n.New != 6 || n.Failed != 0 {
		t.Errorf("%d pages are kept and %d failed; want 6 and 0", n.New, n.Failed)
	}
}

func TestARunEndsWhoseProxyStaysAway(t *testing.T) {
	slow.Test(t, "waits for a proxy as long as a crawl does")
	t.Parallel()
	var asked atomic.Int32
	shut, at := proxyAt(t, "127.0.0.1:0", proxied(6, &asked))
	s := quick("http://site.test/")
	s.Contact, s.Proxy = "me@example.org", "http://"+at
	c := open(t, t.TempDir(), s, crawl.Options{})
	c.OnRecord(func(page.Record) {
		if asked.Load() == 3 {
			shut()
		}
	})
	_, err := c.Run(t.Context())
	var gone *crawl.ProxyError
	if !errors.As(err, &gone) || gone.Login || !strings.Contains(err.Error(), "connection refused, for 1") {
		t.Errorf("Run: %v; want a ProxyError that says for how long the proxy has been away", err)
	}
	if n := c.Totals(); n.New != 3 || n.Failed != 0 || n.Queued+n.Later != 1 {
		t.Errorf("%d pages are kept, %d failed and %d wait; want 3, 0 and 1", n.New, n.Failed, n.Queued+n.Later)
	}
}

func TestARunEndsWhoseProxyWantsALogin(t *testing.T) {
	t.Parallel()
	shut, at := proxyAt(t, "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	defer shut()
	s := quick("http://site.test/")
	s.Contact, s.Proxy = "me@example.org", "http://me:secret@"+at
	c := open(t, t.TempDir(), s, crawl.Options{})
	_, err := c.Run(t.Context())
	var gone *crawl.ProxyError
	if !errors.As(err, &gone) || !gone.Login || !strings.Contains(err.Error(), "http://me:xxxxx@"+at+": the proxy answered 407") {
		t.Errorf("Run: %v; want a ProxyError about the login, without the password", err)
	}
	if n := c.Totals(); n.Failed != 0 || n.Queued+n.Later != 1 {
		t.Errorf("%d URLs failed and %d wait; want 0 and 1", n.Failed, n.Queued+n.Later)
	}
}

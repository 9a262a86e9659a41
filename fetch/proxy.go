package fetch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// parseProxy reads the URL of a proxy: scheme://[user:password@]host[:port].
// Its errors do not repeat the password.
func parseProxy(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("proxy is not a URL: want one such as http://proxy.example:3128")
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
	default:
		return nil, fmt.Errorf("proxy is %q: must start with http://, https:// or socks5://", u.Redacted())
	}
	if u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("proxy is %q: must be a scheme, a host and a port, and nothing more", u.Redacted())
	}
	return u, nil
}

// CheckProxy connects to the proxy and closes the connection. If that fails, the error names the
// proxy, without its password; it is nil if no proxy is set. Without this check, every site would
// seem dead while the proxy is.
func (f *Fetcher) CheckProxy(ctx context.Context) error {
	if f.o.Proxy == "" {
		return nil
	}
	proxy, err := parseProxy(f.o.Proxy)
	if err != nil {
		return err
	}
	port := proxy.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[proxy.Scheme]
	}
	if port == "" {
		port = "1080" // of SOCKS, as net/http has it
	}
	c, err := f.wire.base.DialContext(ctx, "tcp", net.JoinHostPort(proxy.Hostname(), port))
	if err != nil {
		return fmt.Errorf("proxy %s does not answer: %w", proxy.Redacted(), err)
	}
	return c.Close()
}

// Proxy returns the proxy's URL without its password; "": there is none.
func (f *Fetcher) Proxy() string {
	if f.o.Proxy == "" {
		return ""
	}
	proxy, err := parseProxy(f.o.Proxy)
	if err != nil {
		return ""
	}
	return proxy.Redacted()
}

// A proxyError says that a proxy refuses to connect to a site, or wants a login.
type proxyError struct {
	code   int
	status string
}

func (e *proxyError) Error() string { return "the proxy answered " + e.status }

// connectAnswer returns an error for a proxy's answer to CONNECT other than 200.
func connectAnswer(_ context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
	if r.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{r.StatusCode, r.Status}
}

// asksLogin reports whether an answer is a proxy's request for a login: sites do not answer 407
// (RFC 9110, 15.5.8).
func (o *Options) asksLogin(u weburl.URL, status int) bool {
	return status == http.StatusProxyAuthRequired && o.relays(u)
}

// relays reports whether the proxy reads the request for a URL itself, with the whole URL in its
// first line (RFC 9112, 3.2.2). If the proxy makes a tunnel (https, or SOCKS), the site reads the
// request.
func (o *Options) relays(u weburl.URL) bool {
	return u.Scheme() == "http" && len(o.Proxy) > 4 && strings.EqualFold(o.Proxy[:4], "http")
}

// allowTarget is the address check for a request through a proxy. The proxy looks up names and
// connects, so only addresses written as numbers, and this machine's own name, can be checked here.
func (o *Options) allowTarget(u weburl.URL) error {
	host := strings.Trim(hostname(u.Host()), "[]")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		host = "127.0.0.1"
	}
	a, err := netip.ParseAddr(host)
	if err != nil {
		return nil // it is a name
	}
	return o.allow(a)
}

// hostname returns a host without its port.
func hostname(host string) string {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i]
	}
	return host
}
